import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { find, podTemplates, type ChartObject } from './chart-object.ts'
import { chartDir, render } from './render.ts'

const root = join(chartDir, '../..')
const workloads = [
  { app: 'advertiser', kind: 'Deployment' },
  { app: 'device-plugin', kind: 'DaemonSet' },
  { app: 'extender', kind: 'Deployment' },
  { app: 'scheduler', kind: 'Deployment' },
] as const
const checksumsOf = (objects: readonly ChartObject[]): ReadonlyMap<string, string> =>
  new Map(
    workloads.map(({ app, kind }) => {
      const annotations = podTemplates([find(objects, kind, `berth-${app}`)])[0]?.metadata.annotations ?? {}
      const own = Object.entries(annotations).filter(([key]) => key.startsWith('checksum/') && key !== 'checksum/tls')
      return [app, JSON.stringify(own)]
    }),
  )

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-chart-config-'))
})
afterAll(async () => {
  await rm(dir, { recursive: true })
})

/** Returns the configuration that an app reads from arguments and files, without starting it. */
async function printConfig(
  app: string,
  args: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly text: string }> {
  const folder = await mkdtemp(join(dir, `${app}-`))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const here = args.map((arg) => arg.replace('/etc/berth/', `${folder}/`))
  const main = join(root, 'apps', app, 'src/main.ts')
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      ['-C', '@berth/source', main, ...here, '--print-config'],
      { env: { PATH: process.env['PATH'] ?? '' } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    )
  })
}

/** Returns the variables that the chart sets for an app by itself. */
const variablesOf = (app: string): readonly { readonly name: string; readonly value: string }[] =>
  Object.entries(variables[app] ?? {}).map(([name, value]) => ({ name, value }))
const variables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  extender: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
  scheduler: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
  advertiser: {
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '4096',
    MALLOC_TRIM_THRESHOLD_: '4096',
    MALLOC_TOP_PAD_: '4096',
  },
}

describe('configuration', () => {
  test.for(workloads)('$app accepts the rendered flags and configuration file', async ({ app, kind }) => {
    const objects = await render({ profile: 'demo' })
    const containers = podTemplates([find(objects, kind, `berth-${app}`)])[0]?.spec.containers ?? []
    const container = containers.find(({ name }) => name === app)
    const files = find(objects, 'ConfigMap', `berth-${app}`).data ?? {}
    const { code, text } = await printConfig(app, container?.args ?? [], files)
    expect([code, text]).toEqual([0, expect.stringMatching(/\S/)])
    const port = container?.ports?.find(({ name }) => name === 'health')?.containerPort
    expect(text).toContain(`0.0.0.0:${port}`)
  })

  test('the scheduler uses the Lease that its Role names, in its namespace', async () => {
    const objects = await render({ profile: 'scheduler-only' })
    const files = find(objects, 'ConfigMap', 'berth-scheduler').data ?? {}
    expect(parse(files['scheduler.yaml'] ?? '')).toEqual({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      leaderElection: { resourceName: 'berth-scheduler', resourceNamespace: 'berth-system' },
      profiles: [{ schedulerName: 'berth-scheduler' }],
    })
  })

  test("as default-scheduler, the scheduler competes for kube-scheduler's own Lease", async () => {
    const values = { scheduler: { replacesKubeScheduler: true } }
    const objects = await render({ profile: 'scheduler-only', values })
    const files = find(objects, 'ConfigMap', 'berth-scheduler').data ?? {}
    expect(parse(files['scheduler.yaml'] ?? '')).toMatchObject({
      leaderElection: { resourceName: 'kube-scheduler', resourceNamespace: 'kube-system' },
      profiles: [{ schedulerName: 'default-scheduler' }],
    })
    const role = find(objects, 'Role', 'berth-system-berth-scheduler')
    expect([role.metadata.namespace, role.rules]).toEqual([
      'kube-system',
      [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          resourceNames: ['kube-scheduler'],
          verbs: ['get', 'update'],
        },
      ],
    ])
    expect(find(objects, 'RoleBinding', 'berth-system-berth-scheduler')).toMatchObject({
      metadata: { namespace: 'kube-system' },
      roleRef: { name: 'berth-system-berth-scheduler' },
      subjects: [{ name: 'berth-scheduler', namespace: 'berth-system' }],
    })
  })

  test("gives the scheduler's requests the priority levels of kube-scheduler's", async () => {
    const objects = await render({ profile: 'scheduler-only' })
    const schemas = objects.filter(({ kind }) => kind === 'FlowSchema')
    const subjects = [
      { kind: 'ServiceAccount', serviceAccount: { name: 'berth-scheduler', namespace: 'berth-system' } },
    ]
    expect(schemas).toMatchObject([
      {
        metadata: { name: 'berth-system-berth-scheduler-election' },
        spec: { priorityLevelConfiguration: { name: 'leader-election' }, rules: [{ subjects }] },
      },
      {
        metadata: { name: 'berth-system-berth-scheduler' },
        spec: { priorityLevelConfiguration: { name: 'workload-high' }, rules: [{ subjects }] },
      },
    ])
    const off = { scheduler: { flowSchema: { enabled: false } } }
    const without = await render({ profile: 'scheduler-only', values: off })
    expect(without.filter(({ kind }) => kind === 'FlowSchema')).toEqual([])
  })

  test('kube-scheduler calls the extender for the managed resources, with node names, mutual TLS and a short timeout', async () => {
    const managedResources = [{ name: 'example.com/dongle' }, { name: 'example.com/seat', ignoredByScheduler: true }]
    const profile = { pluginConfig: [{ name: 'NodeResourcesFitArgs', args: {} }] }
    const kubeScheduler = { profile, config: { podMaxBackoffSeconds: 5 } }
    const values = { extender: { managedResources, config: { bind: true }, kubeScheduler } }
    const objects = await render({ profile: 'extender-only', values })
    const text = find(objects, 'ConfigMap', 'berth-kube-scheduler').data?.['scheduler.yaml'] ?? ''
    const config = parse(text) as Readonly<Record<string, unknown>>
    expect(config).toMatchObject({
      podMaxBackoffSeconds: 5,
      leaderElection: { leaderElect: true, resourceName: 'berth-extender', resourceNamespace: 'berth-system' },
      profiles: [{ schedulerName: 'berth-kube-scheduler', ...profile }],
    })
    const tls = '/etc/kube-scheduler/tls'
    expect(config['extenders']).toEqual([
      {
        urlPrefix: 'https://127.0.0.1:8888',
        enableHTTPS: true,
        tlsConfig: { caFile: `${tls}/ca.crt`, certFile: `${tls}/tls.crt`, keyFile: `${tls}/tls.key` },
        filterVerb: 'filter',
        prioritizeVerb: 'prioritize',
        preemptVerb: 'preempt',
        bindVerb: 'bind',
        weight: 1,
        nodeCacheCapable: true,
        ignorable: false,
        httpTimeout: '2s',
        managedResources: [
          { name: 'example.com/dongle', ignoredByScheduler: false },
          { name: 'example.com/seat', ignoredByScheduler: true },
        ],
      },
    ])
    expect(parse(find(objects, 'ConfigMap', 'berth-extender').data?.['config.yaml'] ?? '')).toMatchObject({
      allowedClientNames: ['kube-scheduler'],
      bind: true,
      bindLease: 'berth-system/berth-extender-bind',
      ignoredResources: ['example.com/seat'],
    })
    // Berth's scheduler reads the same format as strictly as kube-scheduler does.
    const scheduler = await printConfig('scheduler', ['--config=/etc/berth/scheduler.yaml'], { 'scheduler.yaml': text })
    expect([scheduler.code, scheduler.text]).toEqual([0, expect.stringContaining('example.com/seat')])
  })

  test('your own kube-scheduler gets a Service, a network policy that admits it, and its configuration', async () => {
    const extender = {
      kubeScheduler: { enabled: false },
      service: { enabled: true },
      managedResources: [{ name: 'example.com/a' }],
    }
    const objects = await render({ profile: 'extender-only', values: { extender } })
    expect(objects.filter(({ roleRef }) => roleRef?.name === 'system:kube-scheduler')).toEqual([])
    expect(find(objects, 'NetworkPolicy', 'berth-extender').spec).toMatchObject({
      ingress: [{ ports: [{ port: 8888 }] }],
    })
    const [pod] = podTemplates([find(objects, 'Deployment', 'berth-extender')])
    expect(pod?.spec.containers.map(({ name }) => name)).toEqual(['extender'])
    expect(pod?.spec.containers[0]?.args).toContain('--listen=0.0.0.0:8888')
    const service = find(objects, 'Service', 'berth-extender').spec
    expect(service).toMatchObject({ ports: [{ port: 8888, targetPort: 'extender' }] })
    const stanza = find(objects, 'ConfigMap', 'berth-extender-wiring').data?.['extenders.yaml'] ?? ''
    expect(parse(stanza)).toMatchObject({
      extenders: [
        {
          urlPrefix: 'https://berth-extender.berth-system.svc:8888',
          tlsConfig: { serverName: 'berth-extender.berth-system.svc' },
          nodeCacheCapable: true,
        },
      ],
    })
  })

  test.for([
    { app: 'advertiser', values: { advertiser: { config: { kubeApiQps: 7 } } } },
    { app: 'device-plugin', values: { devicePlugin: { config: { logLevel: 'debug' } } } },
    { app: 'extender', values: { extender: { config: { refuseUnsupported: true } } } },
    { app: 'extender', values: { extender: { weight: 7 } } },
    { app: 'scheduler', values: { scheduler: { config: { podMaxBackoffSeconds: 7 } } } },
  ])('a change of $app’s configuration renews its pods, and no others: %$', async ({ app, values }) => {
    const before = checksumsOf(await render({ profile: 'demo' }))
    const after = checksumsOf(await render({ profile: 'demo', values }))
    expect([...after].filter(([name, sum]) => sum !== before.get(name)).map(([name]) => name)).toEqual([app])
  })

  test.for(workloads)(
    '$app gets contributed plugins, flags, variables, volumes and places to run',
    async ({ app, kind }) => {
      const key = app === 'device-plugin' ? 'devicePlugin' : app
      const spread =
        app === 'device-plugin'
          ? {}
          : { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }] }
      const more = {
        plugins: { volume: { configMap: { name: 'my-plugins' } } },
        extraArgs: ['--log-level=debug'],
        extraEnv: [{ name: 'NODE_OPTIONS', value: '' }],
        extraVolumes: [{ name: 'more', emptyDir: {} }],
        extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
        podAnnotations: { team: 'x' },
        podLabels: { tier: 'y' },
        nodeSelector: { disk: 'ssd' },
        affinity: { nodeAffinity: {} },
        tolerations: [{ key: 'lab' }],
        ...spread,
      }
      const [pod] = podTemplates([
        find(await render({ profile: 'full', values: { [key]: more } }), kind, `berth-${app}`),
      ])
      const container = pod?.spec.containers.find(({ name }) => name === app)
      expect(container?.args?.slice(-2)).toEqual(['--plugin-dir=/plugins', '--log-level=debug'])
      expect(container?.env).toEqual([...variablesOf(app), { name: 'TMPDIR', value: '/unpacked' }, ...more.extraEnv])
      expect(container?.volumeMounts).toContainEqual({ name: 'plugins', mountPath: '/plugins', readOnly: true })
      expect(container?.volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' })
      expect(pod?.spec.volumes).toContainEqual({ name: 'plugins', configMap: { name: 'my-plugins' } })
      expect(pod?.spec.volumes).toContainEqual({ name: 'more', emptyDir: {} })
      expect(pod?.metadata).toMatchObject({ annotations: { team: 'x' }, labels: { tier: 'y' } })
      const { nodeSelector, affinity, tolerations } = more
      expect(pod?.spec).toMatchObject({ nodeSelector, affinity, tolerations, ...spread })
    },
  )

  describe('plugins', () => {
    const tarballRoom = { name: 'unpacked', emptyDir: { sizeLimit: '64Mi' } }
    const deliver = async (app: (typeof workloads)[number], plugins: unknown) => {
      const key = app.app === 'device-plugin' ? 'devicePlugin' : app.app
      const objects = await render({
        profile: 'full',
        values: { [key]: { plugins } },
        flags: ['--kube-version', '1.35.0'],
      })
      const [pod] = podTemplates([find(objects, app.kind, `berth-${app.app}`)])
      return { pod, container: pod?.spec.containers.find(({ name }) => name === app.app) }
    }

    test.for(workloads)('$app gets them from an image, mounted as a volume', async (app) => {
      const image = { reference: 'registry.example.com/my-plugins:1.0.0', pullPolicy: 'IfNotPresent' }
      const { pod, container } = await deliver(app, { volume: { image } })
      expect(pod?.spec.volumes).toEqual(expect.arrayContaining([{ name: 'plugins', image }, tarballRoom]))
      expect(container?.args).toContain('--plugin-dir=/plugins')
      expect(container?.volumeMounts).toContainEqual({ name: 'plugins', mountPath: '/plugins', readOnly: true })
    })

    test.for(workloads)('$app gets them from its own image, without a volume', async (app) => {
      const { pod, container } = await deliver(app, { inImage: true })
      expect(container?.args).toContain('--plugin-dir=/plugins')
      expect(container?.volumeMounts).toContainEqual({ name: 'unpacked', mountPath: '/unpacked' })
      expect(pod?.spec.volumes).toContainEqual(tarballRoom)
      expect(pod?.spec.volumes?.map(({ name }) => name)).not.toContain('plugins')
    })

    test.for(workloads)('$app has neither the flag nor a volume without them', async (app) => {
      const { pod, container } = await deliver(app, {})
      expect(container?.args?.join(' ')).not.toContain('--plugin-dir')
      expect(container?.env ?? []).toEqual(variablesOf(app.app))
      expect(pod?.spec.volumes?.map(({ name }) => name)).not.toContain('unpacked')
    })
  })

  test('supports an image digest and extra objects with templates', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const extraObjects = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-mine' } },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Namespace }}-text"}',
    ]
    const objects = await render({ profile: 'full', values: { image: { digest }, extraObjects } })
    const images = podTemplates(objects).flatMap(({ spec }) => spec.containers.map(({ image }) => image))
    expect(new Set(images)).toEqual(new Set([`berth@${digest}`, 'registry.k8s.io/kube-scheduler:v1.35.0']))
    expect(find(objects, 'ConfigMap', 'berth-mine').apiVersion).toBe('v1')
    expect(find(objects, 'ConfigMap', 'berth-system-text').apiVersion).toBe('v1')
  })
})
