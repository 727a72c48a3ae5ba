import { describe, expect, test } from 'vitest'
import { find, podTemplates, type ChartObject, type Container } from './chart-object.ts'
import { render } from './render.ts'

const hookOf = ({ metadata }: ChartObject): string | undefined => metadata.annotations?.['helm.sh/hook']
const weightOf = ({ metadata }: ChartObject): number => Number(metadata.annotations?.['helm.sh/hook-weight'])
const named = ({ kind, metadata }: ChartObject): string => `${kind} ${metadata.name}`
const seats = (...names: readonly string[]) => names.map((name) => ({ name, units: 1, nodes: { selector: {} } }))

/** Returns the limits of a container besides memory; undefined without any. */
function limitsOf(container: Container | undefined): Readonly<Record<string, unknown>> | undefined {
  const { memory: _, ...limits } = container?.resources?.limits ?? {}
  return Object.keys(limits).length === 0 ? undefined : limits
}

describe('helm test', () => {
  const testPods = (objects: readonly ChartObject[]) =>
    podTemplates(objects.filter((object) => hookOf(object) === 'test')).map(({ owner, spec }) => ({
      schedulerName: spec.schedulerName,
      limits: limitsOf(spec.containers[0]),
      checks: spec.containers[0]?.command?.slice(2).join(' '),
      weight: weightOf(owner),
    }))

  test('tests each scheduler with a resource of each app, one after the other', async () => {
    const dongle = { limits: { 'example.com/dongle': 1 }, checks: 'check-allocation example.com/dongle' }
    const seat = { limits: { 'example.com/seat': 1 }, checks: '--version' }
    expect(testPods(await render({ profile: 'demo' }))).toEqual([
      { schedulerName: 'berth-kube-scheduler', ...dongle, weight: 1 },
      { schedulerName: 'berth-kube-scheduler', ...seat, weight: 2 },
      { schedulerName: 'berth-scheduler', ...dongle, weight: 3 },
      { schedulerName: 'berth-scheduler', ...seat, weight: 4 },
    ])
  })

  test.for([
    { profile: 'scheduler-only', values: {}, schedulerName: 'berth-scheduler' },
    {
      profile: 'scheduler-only',
      values: { scheduler: { config: { profiles: [{ schedulerName: 'chaos' }] } } },
      schedulerName: 'chaos',
    },
    { profile: 'extender-only', values: {}, schedulerName: 'berth-kube-scheduler' },
    {
      profile: 'advertiser-only',
      values: { advertiser: { config: { resources: seats('example.com/a', 'example.com/b') } } },
      schedulerName: 'default-scheduler',
      limits: { 'example.com/a': 1 },
    },
    {
      profile: 'device-plugin-only',
      values: { test: { resources: [{ name: 'example.com/x', source: 'device-plugin' }] } },
      schedulerName: 'default-scheduler',
      limits: { 'example.com/x': 1 },
    },
  ] as const)(
    '$profile alone runs one pod of $schedulerName that requests $limits',
    async ({ profile, values, schedulerName, limits }) => {
      expect(testPods(await render({ profile, values }))).toMatchObject([{ schedulerName, limits }])
    },
  )

  test('leaves nothing behind whether it succeeds, fails or does not fit, and prints the log of a failed Job', async () => {
    for (const object of (await render({ profile: 'demo' })).filter((one) => hookOf(one) === 'test')) {
      expect(object.metadata.annotations).toMatchObject({
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
        'helm.sh/hook-output-log-policy': 'hook-failed',
      })
      expect(object.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 90, ttlSecondsAfterFinished: 300 })
    }
  })

  test('runs its pods on the selected nodes and tolerates their taints', async () => {
    const where = { nodeSelector: { devices: 'yes' }, tolerations: [{ key: 'devices', operator: 'Exists' }] }
    const objects = await render({ profile: 'demo', values: { test: where } })
    const pods = podTemplates(objects.filter((object) => hookOf(object) === 'test'))
    expect(pods).toHaveLength(4)
    for (const { spec } of pods) expect(spec).toMatchObject(where)
  })

  test('can be disabled', async () => {
    expect(testPods(await render({ profile: 'demo', values: { test: { enabled: false } } }))).toEqual([])
  })
})

describe('helm uninstall', () => {
  const hooks = (objects: readonly ChartObject[], when: string): readonly string[] =>
    objects
      .filter((object) => hookOf(object)?.split(',').includes(when))
      .toSorted((a, b) => weightOf(a) - weightOf(b))
      .filter(({ kind }) => kind === 'Job' || kind === 'DaemonSet')
      .map(named)
  const command = (objects: readonly ChartObject[], name: string) =>
    (podTemplates([find(objects, 'Job', name)])[0]?.spec.containers[0]?.command ?? []).slice(1)

  test('checks for running pods first, and after the deletion withdraws resources and then clears the nodes', async () => {
    const objects = await render({ profile: 'demo' })
    expect(hooks(objects, 'pre-delete').slice(0, 2).toSorted()).toEqual([
      'Job berth-uninstall-check',
      'Job berth-uninstall-devices',
    ])
    expect(hooks(objects, 'pre-delete').slice(2)).toEqual(['Job berth-uninstall-announce'])
    expect(command(objects, 'berth-uninstall-devices')).toEqual([
      '/app/kubectl-berth/main.js',
      'uninstall-check',
      'example.com/dongle',
    ])
    expect(command(objects, 'berth-uninstall-announce').slice(1)).toEqual([
      'uninstall-announce',
      'berth-system',
      'app.kubernetes.io/instance=berth,app.kubernetes.io/component=device-plugin',
      'example.com/dongle',
    ])
    expect(command(objects, 'berth-uninstall-await').slice(1)).toEqual([
      'uninstall-wait',
      'berth-system',
      'berth-uninstall-sockets',
      '--timeout',
      '200',
    ])
    expect(hooks(objects, 'post-delete')).toEqual([
      'Job berth-uninstall-prune',
      'DaemonSet berth-uninstall-sockets',
      'Job berth-uninstall-await',
    ])
    expect(command(objects, 'berth-uninstall-check')).toEqual([
      '/app/advertiser/main.js',
      'prune',
      '--dry-run',
      '--owner',
      'berth-system/berth-advertiser',
    ])
    expect(command(objects, 'berth-uninstall-prune')).toEqual([
      '/app/advertiser/main.js',
      'prune',
      '--force',
      '--owner',
      'berth-system/berth-advertiser',
      '--retry-command',
      'helm uninstall berth --namespace berth-system',
    ])
    expect(find(objects, 'Job', 'berth-uninstall-check').spec).toMatchObject({ backoffLimit: 0 })
  })

  test.for([
    { values: {}, data: undefined },
    { values: { uninstall: { force: true } }, data: { force: 'true' } },
  ])(
    'reads at the uninstall, from a ConfigMap of the release, whether it is forced; the installation sets $data',
    async ({ values, data }) => {
      const objects = await render({ profile: 'demo', values })
      const switches = find(objects, 'ConfigMap', 'berth-uninstall')
      expect(switches.data).toEqual(data)
      expect(hookOf(switches)).toBeUndefined()
      const configMapKeyRef = { name: 'berth-uninstall', key: 'force', optional: true }
      const wanted = { name: 'BERTH_ADVERTISER_FORCE', valueFrom: { configMapKeyRef } }
      const envOf = (name: string) => podTemplates([find(objects, 'Job', name)])[0]?.spec.containers[0]?.env
      for (const name of ['check', 'devices']) expect(envOf(`berth-uninstall-${name}`)).toContainEqual(wanted)
      // The ConfigMap is deleted by then.
      for (const name of ['prune', 'await']) expect(envOf(`berth-uninstall-${name}`) ?? []).not.toContainEqual(wanted)
    },
  )

  test('creates the permissions of the hooks as hooks, so that they are deleted with them', async () => {
    const objects = await render({ profile: 'demo' })
    const subject = { kind: 'ServiceAccount', name: 'berth-uninstall', namespace: 'berth-system' }
    const bindings = objects.filter(({ subjects = [] }) => subjects.some(({ name }) => name === subject.name))
    expect(bindings.map(named)).toEqual([
      'ClusterRoleBinding berth-system:berth-uninstall',
      'RoleBinding berth-system:berth-uninstall',
      'RoleBinding berth-uninstall-lease',
      'RoleBinding berth-uninstall-announce',
      'RoleBinding berth-uninstall',
    ])
    const announce = find(objects, 'Role', 'berth-uninstall-announce')
    expect(hookOf(announce)).toBe('pre-delete')
    expect(announce.rules).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['patch'] }])
    const lease = find(objects, 'Role', 'berth-uninstall-lease')
    expect(lease.rules?.[1]).toMatchObject({ resourceNames: ['berth-advertiser'], verbs: ['get', 'update'] })
    const access = [
      ...bindings,
      lease,
      find(objects, 'ServiceAccount', 'berth-uninstall'),
      find(objects, 'Role', 'berth-uninstall'),
    ]
    for (const object of access) {
      expect(hookOf(object)).toMatch(/^(pre-delete,)?post-delete$|^pre-delete$/)
      expect(weightOf(object)).toBeLessThan(0)
      expect(object.metadata.annotations?.['helm.sh/hook-delete-policy']).toBe(
        'before-hook-creation,hook-succeeded,hook-failed',
      )
    }
    expect(find(objects, 'Role', 'berth-uninstall').rules).toEqual([
      { apiGroups: ['apps'], resources: ['daemonsets'], resourceNames: ['berth-uninstall-sockets'], verbs: ['get'] },
    ])
  })

  test('shows the announcement of an uninstall to the device plugin', async () => {
    const [pod] = podTemplates([
      find(await render({ profile: 'device-plugin-only' }), 'DaemonSet', 'berth-device-plugin'),
    ])
    const fieldRef = { fieldPath: "metadata.annotations['berth.dev/uninstall-until']" }
    expect(pod?.spec.volumes).toContainEqual({
      name: 'pod',
      downwardAPI: { items: [{ path: 'uninstall-until', fieldRef }] },
    })
    const [container] = pod?.spec.containers ?? []
    expect(container?.volumeMounts).toContainEqual({ name: 'pod', mountPath: '/etc/berth-pod', readOnly: true })
    expect(container?.args).toContain('--uninstall-file=/etc/berth-pod/uninstall-until')
  })

  test('clears the nodes where the device plugin may have run', async () => {
    const where = { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'lab' }] }
    const values = { devicePlugin: { ...where, kubeletDir: '/data/kubelet' } }
    const objects = await render({ profile: 'device-plugin-only', values })
    const [pod] = podTemplates([find(objects, 'DaemonSet', 'berth-uninstall-sockets')])
    expect(pod?.spec).toMatchObject(where)
    const directory = '/data/kubelet/plugins_registry/berth-034758ee'
    const [clear, remove] = pod?.spec.initContainers ?? []
    expect(clear?.command?.slice(2)).toEqual(['clear-socket-directory', `--plugins-registry=${directory}`])
    expect(remove?.command?.slice(2)).toEqual(['remove-socket-directory', `--plugins-registry=${directory}`])
    // The content of the directory belongs to the device plugin's user and its parent to root, so no container needs a capability.
    expect(pod?.spec.securityContext).toMatchObject({ runAsUser: 65532, runAsGroup: 65532 })
    expect(clear?.securityContext).not.toHaveProperty('runAsUser')
    expect(remove?.securityContext?.runAsUser).toBe(0)
    for (const one of [clear, remove]) expect(one?.securityContext?.capabilities).toEqual({ drop: ['ALL'] })
    expect(hooks(objects, 'pre-delete')).toEqual([])
  })

  test('can be disabled', async () => {
    const objects = await render({ profile: 'demo', values: { uninstall: { enabled: false } } })
    expect(objects.filter((object) => hookOf(object)?.includes('delete'))).toEqual([])
  })

  test('runs its pods on the nodes of the advertiser by default, with the configured resources', async () => {
    const taint = (key: string) => [{ key, operator: 'Exists' }]
    const advertiser = { tolerations: taint('pool'), nodeSelector: { pool: 'system' } }
    const resources = { limits: { cpu: '1', memory: '128Mi' } }
    const jobs = async (values: unknown) =>
      podTemplates(
        (await render({ profile: 'demo', values })).filter(
          (object) => object.kind === 'Job' && (hookOf(object) ?? '').includes('delete'),
        ),
      )
    const inherited = await jobs({ advertiser, uninstall: { resources } })
    expect(inherited).toHaveLength(5)
    for (const { spec } of inherited)
      expect(spec).toMatchObject({ ...advertiser, containers: [{ resources: expect.objectContaining(resources) }] })
    const own = { tolerations: taint('own'), nodeSelector: { pool: 'own' } }
    for (const { spec } of await jobs({ advertiser: { tolerations: taint('pool') }, uninstall: own }))
      expect(spec).toMatchObject(own)
  })

  test('gives the pod that removes the directory the resources of the device plugin', async () => {
    const devicePlugin = { priorityClassName: 'high', resources: { limits: { cpu: '1' } } }
    const objects = await render({ profile: 'demo', values: { devicePlugin } })
    for (const name of ['berth-device-plugin', 'berth-uninstall-sockets']) {
      const [pod] = podTemplates([find(objects, 'DaemonSet', name)])
      expect(pod?.spec).toMatchObject({ priorityClassName: 'high' })
      for (const container of [...(pod?.spec.initContainers ?? []), ...(pod?.spec.containers ?? [])])
        expect(container).toMatchObject({ resources: { limits: { cpu: '1' } } })
    }
  })
})
