import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { type TestCluster, startTestCluster } from './test-cluster.ts'

const ZONE = 'topology.kubernetes.io/zone'

async function startZones(zones: Readonly<Record<string, string>>): Promise<TestCluster> {
  const cluster = await startTestCluster()
  for (const [name, zone] of Object.entries(zones)) {
    await cluster.createNode(name, {}, { labels: { [ZONE]: zone, 'kubernetes.io/hostname': name } })
  }
  await cluster.settle()
  return cluster
}

async function place(
  cluster: TestCluster,
  name: string,
  spec: Partial<Pod['spec']>,
  more: Partial<Pod['metadata']> = {},
) {
  const namespace = more.namespace ?? 'default'
  await cluster.admin.client.create<Pod>(resourceRefs.pods, {
    metadata: { name, labels: { app: 'web' }, ...more, namespace },
    spec: { schedulerName: 'berth-scheduler', containers: [{ name: 'main', image: 'busybox' }], ...spec },
  })
  await cluster.settle()
  return nodeOf(cluster, name, namespace)
}

const nodeOf = async (cluster: TestCluster, name: string, namespace = 'default'): Promise<string | undefined> =>
  (await cluster.admin.client.get<Pod>(resourceRefs.pods, { namespace, name })).spec.nodeName

const create = (
  cluster: TestCluster,
  ref: (typeof resourceRefs)[keyof typeof resourceRefs],
  object: object,
): Promise<unknown> => cluster.admin.client.create(ref, object)

test('spreads pods over zones up to maxSkew, and names the constraint that rejects the next pod', async () => {
  await using cluster = await startZones({ 'node-a': 'east', 'node-b': 'west' })
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
  const placed = [await place(cluster, 'web-0', spread), await place(cluster, 'web-1', spread)]
  expect(new Set(placed)).toEqual(new Set(['node-a', 'node-b']))
  await cluster.admin.client.patch(
    resourceRefs.nodes,
    { name: 'node-b' },
    { spec: { unschedulable: true } },
    { type: 'merge' },
  )
  await cluster.settle()
  expect(await place(cluster, 'web-2', spread)).toBe('node-a')
  expect(await place(cluster, 'web-3', spread)).toBeUndefined()
  expect(await cluster.events('web-3')).toEqual([
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

test('keeps pods with anti-affinity apart until one of them is deleted', async () => {
  await using cluster = await startZones({ 'node-a': 'east', 'node-b': 'west' })
  const placed = [await place(cluster, 'web-0', apart()), await place(cluster, 'web-1', apart())]
  expect(new Set(placed)).toEqual(new Set(['node-a', 'node-b']))
  expect(await place(cluster, 'web-2', apart())).toBeUndefined()
  await cluster.deletePod('web-1')
  await cluster.clock.advance(2_000)
  expect(await nodeOf(cluster, 'web-2')).toBe(placed[1])
})

test('requeues a pod that anti-affinity rejected when the labels of the namespace change', async () => {
  await using cluster = await startZones({ 'node-a': 'east' })
  await create(cluster, resourceRefs.namespaces, { metadata: { name: 'loud', labels: { noise: 'high' } } })
  await cluster.settle()
  expect(await place(cluster, 'drum', {}, { namespace: 'loud' })).toBe('node-a')
  expect(await place(cluster, 'flute', apart({ matchLabels: { noise: 'high' } }))).toBeUndefined()
  const labels = { metadata: { labels: { noise: 'low' } } }
  await cluster.admin.client.patch(resourceRefs.namespaces, { name: 'loud' }, labels, { type: 'merge' })
  await cluster.clock.advance(2_000)
  expect(await nodeOf(cluster, 'flute')).toBe('node-a')
})

test('keeps a pod pending until its claim is bound, then places it where the volume is', async () => {
  await using cluster = await startZones({ 'node-a': 'east', 'node-b': 'west' })
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  expect(await place(cluster, 'db', { volumes })).toBeUndefined()
  expect(await cluster.events('db')).toEqual([
    expect.stringContaining('persistentvolumeclaim "data" not found') as string,
  ])
  await create(cluster, resourceRefs.persistentVolumes, {
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
  await create(cluster, resourceRefs.persistentVolumeClaims, {
    metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv', resources: { requests: { storage: '1Gi' } } },
  })
  await cluster.clock.advance(3_000)
  expect(await nodeOf(cluster, 'db')).toBe('node-b')
})

test('schedules nothing while a resource cannot be read, names the missing permission, and continues when it is granted', async () => {
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
  await using cluster = await startTestCluster({ intercept })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.clock.advance(5_000)
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  expect(cluster.scheduler.notReady()).toBe(
    'the cluster cannot be read: watch persistentvolumeclaims: persistentvolumeclaims is forbidden (403) ' +
      'Grant the verb "watch" on the resource "persistentvolumeclaims" (API group "") to this identity.',
  )
  isForbidden = false
  await cluster.clock.advance(40_000)
  expect(cluster.scheduler.notReady()).toBeUndefined()
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})
