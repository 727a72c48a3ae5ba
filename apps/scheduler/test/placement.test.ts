import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { type Lab, startLab } from './lab.ts'

const ZONE = 'topology.kubernetes.io/zone'

async function startZones(zones: Readonly<Record<string, string>>): Promise<Lab> {
  const lab = await startLab()
  for (const [name, zone] of Object.entries(zones)) {
    await lab.createNode(name, {}, { labels: { [ZONE]: zone, 'kubernetes.io/hostname': name } })
  }
  await lab.settle()
  return lab
}

async function place(lab: Lab, name: string, spec: Partial<Pod['spec']>, more: Partial<Pod['metadata']> = {}) {
  const namespace = more.namespace ?? 'default'
  await lab.admin.client.create<Pod>(resourceRefs.pods, {
    metadata: { name, labels: { app: 'web' }, ...more, namespace },
    spec: { schedulerName: 'berth-scheduler', containers: [{ name: 'main', image: 'busybox' }], ...spec },
  })
  await lab.settle()
  return nodeOf(lab, name, namespace)
}

const nodeOf = async (lab: Lab, name: string, namespace = 'default'): Promise<string | undefined> =>
  (await lab.admin.client.get<Pod>(resourceRefs.pods, { namespace, name })).spec.nodeName

const create = (lab: Lab, ref: (typeof resourceRefs)[keyof typeof resourceRefs], object: object): Promise<unknown> =>
  lab.admin.client.create(ref, object)

test('spreads pods over zones as far as maxSkew demands, and says which constraint holds the next one', async () => {
  await using lab = await startZones({ 'node-a': 'east', 'node-b': 'west' })
  const spread = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: ZONE,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
  }
  const placed = [await place(lab, 'web-0', spread), await place(lab, 'web-1', spread)]
  expect(new Set(placed)).toEqual(new Set(['node-a', 'node-b']))
  await lab.admin.client.patch(
    resourceRefs.nodes,
    { name: 'node-b' },
    { spec: { unschedulable: true } },
    { type: 'merge' },
  )
  await lab.settle()
  expect(await place(lab, 'web-2', spread)).toBe('node-a')
  expect(await place(lab, 'web-3', spread)).toBeUndefined()
  expect(await lab.events('web-3')).toEqual([
    expect.stringMatching(
      /^FailedScheduling: 0\/2 nodes are available: 1 node\(s\) didn't match pod topology spread constraints, 1 node\(s\) were unschedulable\. preemption: /,
    ),
  ])
})

const apart = (namespaceSelector?: object) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchLabels: { app: 'web' } },
          ...(namespaceSelector !== undefined && { namespaceSelector }),
        },
      ],
    },
  },
})

test('keeps pods apart that want it, until one of them leaves', async () => {
  await using lab = await startZones({ 'node-a': 'east', 'node-b': 'west' })
  const placed = [await place(lab, 'web-0', apart()), await place(lab, 'web-1', apart())]
  expect(new Set(placed)).toEqual(new Set(['node-a', 'node-b']))
  expect(await place(lab, 'web-2', apart())).toBeUndefined()
  await lab.deletePod('web-1')
  await lab.clock.advance(2_000)
  expect(await nodeOf(lab, 'web-2')).toBe(placed[1])
})

test('a pod that the labels of a namespace keep out wakes when these change', async () => {
  await using lab = await startZones({ 'node-a': 'east' })
  await create(lab, resourceRefs.namespaces, { metadata: { name: 'loud', labels: { noise: 'high' } } })
  await lab.settle()
  expect(await place(lab, 'drum', {}, { namespace: 'loud' })).toBe('node-a')
  expect(await place(lab, 'flute', apart({ matchLabels: { noise: 'high' } }))).toBeUndefined()
  const labels = { metadata: { labels: { noise: 'low' } } }
  await lab.admin.client.patch(resourceRefs.namespaces, { name: 'loud' }, labels, { type: 'merge' })
  await lab.clock.advance(2_000)
  expect(await nodeOf(lab, 'flute')).toBe('node-a')
})

test('a pod waits for its claim, and goes where the volume is once it is bound', async () => {
  await using lab = await startZones({ 'node-a': 'east', 'node-b': 'west' })
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  expect(await place(lab, 'db', { volumes })).toBeUndefined()
  expect(await lab.events('db')).toEqual([expect.stringContaining('persistentvolumeclaim "data" not found') as string])
  await create(lab, resourceRefs.persistentVolumes, {
    metadata: { name: 'pv', labels: { [ZONE]: 'west' } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'disk.example.com', volumeHandle: 'h' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['west'] }] }] },
      },
    },
  })
  await create(lab, resourceRefs.persistentVolumeClaims, {
    metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv', resources: { requests: { storage: '1Gi' } } },
  })
  await lab.clock.advance(3_000)
  expect(await nodeOf(lab, 'db')).toBe('node-b')
})

test('refuses a pod whose claim waits for its first consumer, and takes it once the claim is bound', async () => {
  await using lab = await startZones({ 'node-a': 'east' })
  await create(lab, resourceRefs.storageClasses, {
    metadata: { name: 'late' },
    provisioner: 'disk.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  const claim = { metadata: { name: 'data', namespace: 'default' } }
  await create(lab, resourceRefs.persistentVolumeClaims, {
    ...claim,
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'late', resources: { requests: { storage: '1Gi' } } },
  })
  await lab.settle()
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  expect(await place(lab, 'db', { volumes })).toBeUndefined()
  expect((await lab.events('db'))[0]).toContain('claim data waits for its first consumer')
  await create(lab, resourceRefs.persistentVolumes, {
    metadata: { name: 'pv' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      hostPath: { path: '/x' },
    },
  })
  const bound = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
  await lab.admin.client.patch(
    resourceRefs.persistentVolumeClaims,
    { namespace: 'default', name: 'data' },
    { metadata: bound, spec: { volumeName: 'pv' } },
    { type: 'merge' },
  )
  await lab.clock.advance(3_000)
  expect(await nodeOf(lab, 'db')).toBe('node-a')
})

test('schedules nothing while one resource may not be read, names the missing permission, and goes on when it is granted', async () => {
  let isForbidden = true
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (!isForbidden || !request.path.includes('/persistentvolumeclaims')) return handle(request)
      const message = 'persistentvolumeclaims is forbidden'
      const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message }
      return {
        status: 403,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield new TextEncoder().encode(JSON.stringify(status))
        })(),
      }
    }
  await using lab = await startLab({ intercept })
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  await lab.clock.advance(5_000)
  expect((await lab.pod('web')).spec.nodeName).toBeUndefined()
  expect(lab.scheduler.notReady()).toBe(
    'the cluster cannot be read: watch persistentvolumeclaims: persistentvolumeclaims is forbidden (403) ' +
      'Grant the verb "watch" on the resource "persistentvolumeclaims" (API group "") to this identity.',
  )
  isForbidden = false
  await lab.clock.advance(40_000)
  expect(lab.scheduler.notReady()).toBeUndefined()
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
})
