import { beforeAll, describe, expect, test } from 'vitest'
import { componentOf, find, podTemplates, type ChartObject, type Container, type PodTemplate } from './chart-object.ts'
import { profiles, render } from './render.ts'

/** Volume types that pod security `restricted` allows. */
const restrictedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])
const onNodes = new Set(['device-plugin', 'uninstall-sockets'])

/** Returns the violations of pod security `restricted` (v1.36) in a pod. */
function restrictedFaults({ spec }: PodTemplate): readonly string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  return [
    ...(['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((key) => spec[key] === true),
    ...(spec.volumes ?? []).flatMap(({ name, ...source }) =>
      Object.keys(source)
        .filter((type) => !restrictedVolumes.has(type))
        .map((type) => `volume ${name} is a ${type}`),
    ),
    ...containers.flatMap((container) => containerFaults(container, spec.securityContext)),
  ]
}

function containerFaults(
  { name, securityContext: own = {}, ports = [] }: Container,
  pod: PodTemplate['spec']['securityContext'] = {},
): readonly string[] {
  const fault = (isFault: boolean, text: string): readonly string[] => (isFault ? [`${name}: ${text}`] : [])
  return [
    ...fault(own.privileged === true, 'is privileged'),
    ...fault(own.allowPrivilegeEscalation !== false, 'may escalate'),
    ...fault((own.runAsNonRoot ?? pod.runAsNonRoot) !== true, 'may be root'),
    ...fault((own.runAsUser ?? pod.runAsUser) === 0, 'is root'),
    ...fault(own.capabilities?.drop?.join(',') !== 'ALL', 'keeps capabilities'),
    ...fault((own.capabilities?.add ?? []).length > 0, 'adds capabilities'),
    ...fault((own.seccompProfile ?? pod.seccompProfile)?.type !== 'RuntimeDefault', 'has no seccomp profile'),
    ...fault(own.readOnlyRootFilesystem !== true, 'has a writable root'),
    ...fault(
      ports.some(({ hostPort }) => hostPort !== undefined),
      'takes a port of the node',
    ),
  ]
}

describe('security of pods', () => {
  const pods = new Map<string, readonly PodTemplate[]>()
  let demo: readonly ChartObject[] = []
  beforeAll(async () => {
    for (const profile of profiles) {
      const objects = await render({ profile })
      if (profile === 'demo') demo = objects
      pods.set(profile, podTemplates(objects))
    }
  })

  test.for(profiles)('%s: every container has a memory limit, at least as large as its request', (profile) => {
    const containers = (pods.get(profile) ?? []).flatMap(({ owner, spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].map((container) => ({ owner, container })),
    )
    expect(containers.length).toBeGreaterThan(0)
    for (const { owner, container } of containers) {
      const { requests, limits } = container.resources ?? {}
      const bytes = (amount = '0'): number => Number(/^(\d+)Mi$/.exec(amount)?.[1] ?? 0)
      const name = `${owner.kind} ${owner.metadata.name}, container ${container.name}`
      expect([name, limits?.['memory']]).toEqual([name, expect.stringMatching(/^\d+Mi$/)])
      expect(bytes(limits?.['memory'])).toBeGreaterThanOrEqual(bytes(requests?.['memory']))
    }
  })

  test('the memory limits of the apps are those that the chart derives from measurements', async () => {
    const objects = await render({ profile: 'full' })
    const limitOf = (app: string, container = app) =>
      podTemplates([find(objects, 'Deployment', `berth-${app}`)])[0]?.spec.containers.find(
        ({ name }) => name === container,
      )?.resources?.limits
    expect(limitOf('scheduler')).toEqual({ memory: '1024Mi' })
    expect(limitOf('extender')).toEqual({ memory: '768Mi' })
    expect(limitOf('extender', 'kube-scheduler')).toEqual({ memory: '2048Mi' })
    expect(limitOf('advertiser')).toEqual({ memory: '512Mi' })
  })

  test.for(profiles)('%s: all pods pass restricted except those that mount node directories', (profile) => {
    const all = pods.get(profile) ?? []
    expect(all.length).toBeGreaterThan(0)
    for (const pod of all) {
      const component =
        componentOf(pod.owner) === 'uninstall'
          ? pod.metadata.labels?.['app.kubernetes.io/component']
          : componentOf(pod.owner)
      if (onNodes.has(component ?? '')) continue
      expect([pod.owner.metadata.name, ...restrictedFaults(pod)]).toEqual([pod.owner.metadata.name])
    }
  })

  test.for(profiles)('%s: only pods that call the API server get a token', (profile) => {
    const silent = new Set(['device-plugin', 'uninstall-sockets', 'test'])
    for (const { spec, metadata } of pods.get(profile) ?? []) {
      const component = metadata.labels?.['app.kubernetes.io/component'] ?? ''
      expect([component, spec.automountServiceAccountToken]).toEqual([component, !silent.has(component)])
      expect(spec).toMatchObject({ enableServiceLinks: false })
    }
  })

  test('ServiceAccounts do not mount tokens automatically', () => {
    const accounts = demo.filter(({ kind }) => kind === 'ServiceAccount')
    expect(accounts).toHaveLength(6)
    for (const account of accounts) expect(account).toMatchObject({ automountServiceAccountToken: false })
  })

  test('the device plugin runs without root and capabilities on a read-only root file system; only its init container is root, with CHOWN', () => {
    const [pod] = podTemplates([find(demo, 'DaemonSet', 'berth-device-plugin')])
    expect(pod === undefined ? [] : restrictedFaults(pod)).toEqual([
      'volume sockets is a hostPath',
      'own-socket-directory: may be root',
      'own-socket-directory: is root',
      'own-socket-directory: adds capabilities',
    ])
    expect(pod?.spec.initContainers?.[0]?.securityContext?.capabilities).toEqual({ drop: ['ALL'], add: ['CHOWN'] })
    expect(pod?.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 })
    const directory = '/var/lib/kubelet/plugins_registry/berth-034758ee'
    const sockets = pod?.spec.volumes?.find(({ name }) => name === 'sockets')
    expect(sockets).toEqual({ name: 'sockets', hostPath: { path: directory, type: 'DirectoryOrCreate' } })
    const [plugin] = pod?.spec.containers ?? []
    expect(plugin?.volumeMounts).toContainEqual({ name: 'sockets', mountPath: directory })
    expect(plugin?.args).toContain(`--plugins-registry=${directory}`)
    expect(plugin?.command).toEqual([
      'node',
      '--max-semi-space-size=1',
      '--max-old-space-size=48',
      '--no-maglev',
      '/app/device-plugin/main.cjs',
    ])
  })

  test.for([
    {
      app: 'extender',
      profile: 'extender-only',
      flags: ['--max-semi-space-size=4', '--heap-growing-percent=30', '--expose-gc', '--v8-pool-size=1'],
      malloc: { MALLOC_TRIM_THRESHOLD_: '131072' },
    },
    {
      app: 'advertiser',
      profile: 'advertiser-only',
      flags: [
        '--max-semi-space-size=1',
        '--no-turbofan',
        '--optimize-for-size',
        '--heap-growing-percent=30',
        '--expose-gc',
      ],
      malloc: { MALLOC_MMAP_THRESHOLD_: '4096', MALLOC_TRIM_THRESHOLD_: '4096', MALLOC_TOP_PAD_: '4096' },
    },
    {
      app: 'scheduler',
      profile: 'scheduler-only',
      flags: [
        '--min-semi-space-size=16',
        '--max-semi-space-size=16',
        '--no-parallel-scavenge',
        '--expose-gc',
        '--maglev-as-top-tier',
        '--invocation-count-for-maglev=100',
        '--minimum-invocations-after-ic-update=100',
        '--invocation-count-for-feedback-allocation=2',
      ],
      malloc: { MALLOC_TRIM_THRESHOLD_: '131072' },
    },
  ] as const)(
    'the $app runs with a heap that does not grow far beyond what it uses, and returns freed memory',
    async ({ app, profile, flags, malloc }) => {
      const objects = await render({ profile })
      const [pod] = podTemplates([find(objects, 'Deployment', `berth-${app}`)])
      const container = pod?.spec.containers?.find(({ name }) => name === app)
      expect(container?.command).toEqual(['node', ...flags, `/app/${app}/main.js`])
      expect(container?.env).toEqual([
        { name: 'MALLOC_ARENA_MAX', value: '2' },
        ...Object.entries(malloc).map(([name, value]) => ({ name, value })),
      ])
    },
  )

  test('the node helper is root without capabilities, with the directories of its parts only', async () => {
    const podOf = async (nodeHelper: object, more: object = {}) => {
      const values = { devicePlugin: { nodeHelper, ...more } }
      const objects = await render({ profile: 'device-plugin-only', values })
      const [pod] = podTemplates([find(objects, 'DaemonSet', 'berth-device-plugin')])
      const [plugin, helper] = pod?.spec.containers ?? []
      return { pod, plugin, helper }
    }
    expect((await podOf({})).helper).toBeUndefined()

    const both = await podOf({ cdi: { enabled: true }, podResources: { enabled: true } }, { kubeletDir: '/data' })
    expect(both.helper?.securityContext).toEqual({
      runAsNonRoot: false,
      runAsUser: 0,
      runAsGroup: 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(both.plugin?.securityContext).not.toHaveProperty('runAsUser')
    expect(both.plugin?.args).toEqual(
      expect.arrayContaining(['--node-helper=/run/berth-node/helper.sock', '--pod-resources']),
    )
    expect(both.helper?.args).toEqual([
      'node-helper',
      '--node-helper=/run/berth-node/helper.sock',
      '--health-address=0.0.0.0:9411',
      '--uninstall-file=/etc/berth-pod/uninstall-until',
      '--cdi-directory=/var/run/cdi',
      '--cdi-owner=berth-034758ee',
      '--pod-resources-directory=/data/pod-resources',
    ])
    const shared = { name: 'node-helper', mountPath: '/run/berth-node' }
    // The plugin can call the socket, but not replace it.
    expect(both.plugin?.volumeMounts).toContainEqual({ ...shared, readOnly: true })
    expect(both.helper?.volumeMounts).toEqual([
      shared,
      { name: 'pod', mountPath: '/etc/berth-pod', readOnly: true },
      { name: 'cdi', mountPath: '/var/run/cdi' },
      { name: 'pod-resources', mountPath: '/data/pod-resources', readOnly: true },
    ])
    expect(both.pod?.spec.volumes).toEqual(
      expect.arrayContaining([
        { name: 'cdi', hostPath: { path: '/var/run/cdi', type: 'DirectoryOrCreate' } },
        { name: 'pod-resources', hostPath: { path: '/data/pod-resources', type: 'Directory' } },
      ]),
    )

    const cdiOnly = await podOf({ cdi: { enabled: true, directory: '/etc/cdi' } })
    expect(cdiOnly.plugin?.args).not.toContain('--pod-resources')
    expect(cdiOnly.helper?.args).toContain('--cdi-directory=/etc/cdi')
    expect(cdiOnly.helper?.volumeMounts?.map(({ name }) => name)).toEqual(['node-helper', 'pod', 'cdi'])
  })

  test.for([
    { registration: 'watcher', standsBy: true, rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } },
    { registration: 'classic', standsBy: false, rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } },
  ])(
    'with registration $registration, an update starts a standby: $standsBy',
    async ({ registration, standsBy, rollingUpdate }) => {
      const values = { devicePlugin: { config: { registration } } }
      const plugin = find(await render({ profile: 'device-plugin-only', values }), 'DaemonSet', 'berth-device-plugin')
      expect(plugin.spec).toMatchObject({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })
      const args = podTemplates([plugin])[0]?.spec.containers[0]?.args ?? []
      expect(args.includes('--standby')).toBe(standsBy)
    },
  )

  test('with classic registration, the device plugin runs as root without an init container', async () => {
    const values = { devicePlugin: { config: { registration: 'classic' } } }
    const objects = await render({ profile: 'device-plugin-only', values })
    const [pod] = podTemplates([find(objects, 'DaemonSet', 'berth-device-plugin')])
    expect(pod?.spec.initContainers).toBeUndefined()
    expect(pod?.spec.securityContext?.runAsUser).toBe(0)
    expect(pod?.spec.containers[0]?.securityContext?.capabilities).toEqual({ drop: ['ALL'] })
    expect(pod?.spec.containers[0]?.args).toContain('--device-plugin-dir=/var/lib/kubelet/device-plugins')
    expect(objects.some(({ metadata }) => metadata.name.includes('uninstall-sockets'))).toBe(false)
  })

  test('with its kube-scheduler, the extender listens only on loopback and requires a client certificate', () => {
    const [pod] = podTemplates([find(demo, 'Deployment', 'berth-extender')])
    const extender = pod?.spec.containers.find(({ name }) => name === 'extender')
    expect(extender?.args).toEqual(
      expect.arrayContaining(['--listen=127.0.0.1:8888', '--client-ca-file=/etc/berth-tls/ca.crt']),
    )
    expect(extender?.ports).toEqual([{ name: 'health', containerPort: 9403 }])
    const policy = find(demo, 'NetworkPolicy', 'berth-extender')
    expect(policy.spec).toMatchObject({ policyTypes: ['Ingress'] })
    expect(policy.spec).not.toHaveProperty('ingress')
  })

  test('the eviction fulfils the restricted pod security standard and has probes', async () => {
    const eviction = { enabled: true, config: { resources: ['example.com/dongle'] } }
    const objects = await render({ profile: 'advertiser-only', values: { eviction } })
    const [pod] = podTemplates([find(objects, 'Deployment', 'berth-eviction')])
    expect(pod === undefined ? undefined : restrictedFaults(pod)).toEqual([])
    expect(pod?.spec.containers[0]).toMatchObject({
      livenessProbe: { httpGet: { path: '/livez' } },
      readinessProbe: { httpGet: { path: '/readyz' } },
    })
  })

  test('every long-running container has liveness, readiness and startup probes', () => {
    const staying = podTemplates(
      demo.filter(
        ({ kind, metadata }) =>
          kind !== 'Job' && kind !== 'Pod' && metadata.annotations?.['helm.sh/hook'] === undefined,
      ),
    )
    const containers = staying.flatMap(({ spec }) => spec.containers)
    expect(containers.map(({ name }) => name).toSorted()).toEqual([
      'advertiser',
      'authority',
      'device-plugin',
      'extender',
      'kube-scheduler',
      'scheduler',
    ])
    for (const container of containers) {
      expect(container).toMatchObject({
        livenessProbe: { httpGet: { path: '/livez' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
        startupProbe: { httpGet: { path: '/livez' } },
      })
    }
  })

  test('the device plugin may connect to nothing, or only to the listed peers', async () => {
    const policyOf = (objects: readonly ChartObject[]) => find(objects, 'NetworkPolicy', 'berth-device-plugin').spec
    expect(policyOf(demo)).toMatchObject({ policyTypes: ['Ingress', 'Egress'] })
    expect(policyOf(demo)).not.toHaveProperty('egress')
    expect(policyOf(demo)).not.toHaveProperty('ingress')
    const to = [{ ipBlock: { cidr: '10.0.0.1/32' } }]
    const values = { devicePlugin: { networkPolicy: { to } } }
    expect(policyOf(await render({ profile: 'device-plugin-only', values }))).toMatchObject({ egress: [{ to }] })
  })

  test('every Deployment has a disruption budget that allows drains, a priority and a network policy', () => {
    const names = demo.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name)
    expect(names).toHaveLength(4)
    for (const name of names) {
      expect(find(demo, 'PodDisruptionBudget', name).spec).toMatchObject({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      })
      expect(find(demo, 'NetworkPolicy', name).spec).toMatchObject({ policyTypes: ['Ingress'] })
      expect(podTemplates([find(demo, 'Deployment', name)])[0]?.spec.priorityClassName).toBe('system-cluster-critical')
    }
    const plugin = podTemplates([find(demo, 'DaemonSet', 'berth-device-plugin')])[0]
    expect(plugin?.spec.priorityClassName).toBe('system-node-critical')
  })
})
