import { resourceRefs } from '@berth/k8s-client'
import { POD_GROUP_LABEL } from '@berth/fit-engine'
import { describe, expect, test } from 'vitest'
import {
  boundPod,
  boundPods,
  COSCHEDULING,
  createGang,
  createGroup,
  createMembers,
  DONGLE,
  deleteGroup,
  groupConditions,
  NATIVE,
  NATIVE_BETA,
  one,
  servePodGroups,
  startWithGroups,
} from './pod-group-cluster.ts'
import { startTestCluster, type TestCluster } from './test-cluster.ts'

const messageOf = async (cluster: TestCluster, name: string): Promise<string> =>
  (await cluster.pod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? ''

describe('a gang', () => {
  test('is bound as a whole when minCount members fit', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3)
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(3)
    expect(await groupConditions(cluster, NATIVE, 'train')).toEqual(['PodGroupScheduled=True Scheduled'])
  })

  test('binds no member when too few fit, says why, and is bound when there is room', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    // The condition of the group, which the scheduler wrote, requeues no member.
    expect(cluster.scheduler.counts()).toMatchObject({ unschedulable: 3, backoff: 0 })
    const fit = 'pod group default/train: 2 of 3 waiting members fit, at least 3 must fit together'
    expect(await messageOf(cluster, 'train-0')).toBe(fit)
    expect(await messageOf(cluster, 'train-2')).toContain('0/1 nodes are available: 1 Insufficient example.com/dongle.')
    expect(await groupConditions(cluster, NATIVE, 'train')).toEqual([
      expect.stringContaining(
        `PodGroupScheduled=False Unschedulable: pod group is unschedulable: ${fit}; default/train-2`,
      ),
    ])
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await cluster.clock.advance(2_000)
    expect(await boundPods(cluster)).toHaveLength(3)
    expect(await groupConditions(cluster, NATIVE, 'train')).toEqual(['PodGroupScheduled=True Scheduled'])
  })

  test('takes no room while it does not fit', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3)
    await cluster.settle()
    for (const name of ['single-0', 'single-1']) await cluster.createPod(name, { requests: one })
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['single-0 on node-a', 'single-1 on node-a'])
  })

  test('waits in the queue, without an attempt, until its group and minCount members exist', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(cluster.scheduler.counts()).toMatchObject({ gated: 2, active: 0, unschedulable: 0 })
    expect([...cluster.scheduler.pods()].map(({ info }) => [...info.rejectors])).toEqual([
      ['GangScheduling'],
      ['GangScheduling'],
    ])
    await createGang(cluster, NATIVE, 'train', 3)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(3)
    expect(await cluster.events('train-0')).toEqual([expect.stringContaining('Scheduled: ')])
  })

  test('counts members that are bound already, so that a late member is bound on its own', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(3)
  })

  test('binds minCount members; the others wait for room', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 3)
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(2)
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(3)
  })

  test('that competes with another gang for the last units leaves neither half placed', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await cluster.createNode('node-b', { [DONGLE]: '2' })
    for (const name of ['red', 'blue']) await createGang(cluster, NATIVE, name, 3)
    // The members of the gangs alternate.
    for (let i = 0; i < 3; i++) for (const name of ['red', 'blue']) await createMembers(cluster, name, 1, { from: i })
    await cluster.clock.advance(60_000)
    const bound = await boundPods(cluster)
    expect(bound).toHaveLength(3)
    const [winner = ''] = bound[0]?.split('-') ?? []
    expect(bound.filter((each) => each.startsWith(winner))).toHaveLength(3)
    for (let i = 0; i < 3; i++) await cluster.deletePod(`${winner}-${i}`)
    await cluster.clock.advance(12_000)
    const loser = winner === 'red' ? 'blue' : 'red'
    expect((await boundPods(cluster)).filter((each) => each.startsWith(loser))).toHaveLength(3)
  })

  test('that lost a waiting member waits for a new one', async () => {
    await using cluster = await startWithGroups()
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3)
    await cluster.settle()
    await cluster.deletePod('train-1')
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual([])
    await createMembers(cluster, 'train', 1, { from: 3 })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(3)
  })

  test('whose group is deleted waits until the group is created again', async () => {
    await using cluster = await startWithGroups()
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    await deleteGroup(cluster, NATIVE, 'train')
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual([])
    await createGang(cluster, NATIVE, 'train', 2)
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('is completed by a scheduler that starts when some members are bound', async () => {
    const bound: string[] = []
    const lost = new AbortController()
    const first = await startTestCluster({
      mayWrite: () => bound.length === 0,
      lost: lost.signal,
      intercept: (handle) => async (request) => {
        const pod = boundPod(request)
        if (pod !== undefined) bound.push(pod)
        return handle(request)
      },
    })
    await servePodGroups(first, NATIVE)
    await first.createNode('node-a', { [DONGLE]: '3' })
    await createGang(first, NATIVE, 'train', 3)
    await createMembers(first, 'train', 3)
    await first.settle()
    expect(await boundPods(first)).toHaveLength(1)
    lost.abort(new Error('the process ends'))
    await first.stop()
    await using second = await startTestCluster({ joins: first })
    await second.clock.advance(12_000)
    expect(await boundPods(second)).toHaveLength(3)
    await first[Symbol.asyncDispose]()
  })

  test('of 300 members is bound while other pods are scheduled', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '400' })
    await createMembers(cluster, 'train', 300)
    await createGang(cluster, NATIVE, 'train', 300)
    await cluster.createPod('single', { requests: one })
    await cluster.clock.advance(2_000)
    expect(await boundPods(cluster)).toHaveLength(301)
  })
})

describe('a basic group', () => {
  test('binds every member that fits', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGroup(cluster, NATIVE, 'web', { schedulingPolicy: { basic: {} } })
    await createMembers(cluster, 'web', 3)
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(2)
    expect(await groupConditions(cluster, NATIVE, 'web')).toEqual(['PodGroupScheduled=True Scheduled'])
  })
})

describe('preemption for a gang', () => {
  test('evicts no pod unless the whole gang then fits', async () => {
    await using cluster = await startWithGroups()
    await cluster.createPriorityClass('high', 1_000)
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    for (const name of ['low-0', 'low-1']) await cluster.createPod(name, { requests: one })
    await cluster.settle()
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3, { priorityClassName: 'high' })
    await cluster.clock.advance(60_000)
    expect(await boundPods(cluster)).toEqual(['low-0 on node-a', 'low-1 on node-a'])
    expect((await cluster.pod('low-0')).metadata.deletionTimestamp).toBeUndefined()
  })

  test('evicts the victims of all members, waits for them, and then binds the gang', async () => {
    await using cluster = await startWithGroups()
    await cluster.createPriorityClass('high', 1_000)
    await cluster.createNode('node-a', { [DONGLE]: '3' })
    for (const name of ['low-0', 'low-1']) await cluster.createPod(name, { requests: one })
    await cluster.settle()
    await createGang(cluster, NATIVE, 'train', 3)
    await createMembers(cluster, 'train', 3, { priorityClassName: 'high' })
    await cluster.clock.advance(5_000)
    for (const name of ['low-0', 'low-1']) {
      expect((await cluster.pod(name)).metadata.deletionTimestamp).toBeDefined()
    }
    expect(await groupConditions(cluster, NATIVE, 'train')).toEqual([
      'PodGroupScheduled=False Unschedulable: pod group is unschedulable, pod group is waiting for preemption to complete',
    ])
    await cluster.deletePod('low-0')
    await cluster.clock.advance(12_000)
    expect((await boundPods(cluster)).filter((each) => each.startsWith('train'))).toEqual([])
    // The nominations keep the room.
    await cluster.createPod('late', { requests: one })
    await cluster.deletePod('low-1')
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-1 on node-a', 'train-2 on node-a'])
  })
})

describe('a group that Berth does not implement', () => {
  test.for([
    { field: 'schedulingConstraints', value: { topology: [{ key: 'zone' }] } },
    { field: 'resourceClaims', value: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
    { field: 'disruptionMode', value: 'PodGroup' },
  ])('is refused by the name of the field $field', async ({ field, value }) => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGang(cluster, NATIVE, 'train', 2, { [field]: value })
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    const message = `pod group default/train uses features that this scheduler does not implement: spec.${field}: `
    expect(await cluster.events('train-0')).toEqual([expect.stringContaining(`FailedScheduling: ${message}`)])
    expect(await groupConditions(cluster, NATIVE, 'train')).toEqual([
      expect.stringContaining(`PodGroupScheduled=False Unschedulable: ${message}`),
    ])
  })

  test('is placed with the default disruptionMode', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGang(cluster, NATIVE, 'train', 2, { disruptionMode: 'Pod' })
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('is skipped and counted when it cannot be read, and delays no other pod', async () => {
    await using cluster = await startWithGroups()
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGroup(cluster, NATIVE, 'bad', { schedulingPolicy: { gang: { minCount: 'many' } } })
    await createGang(cluster, NATIVE, 'good', 1)
    for (const name of ['bad', 'good']) await createMembers(cluster, name, 1)
    await cluster.createPod('single', { requests: one })
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['good-0 on node-a', 'single on node-a'])
    expect((await cluster.metrics.unreadablePodGroups.get()).values[0]?.value).toBeGreaterThan(0)
  })
})

describe('the API of pod groups', () => {
  test('is not watched while the cluster does not serve it, and picked up when it appears', async () => {
    const paths: string[] = []
    await using cluster = await startTestCluster({
      intercept: (handle) => (request) => {
        paths.push(request.path)
        return handle(request)
      },
    })
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createMembers(cluster, 'train', 2)
    await cluster.createPod('single', { requests: one })
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['single on node-a'])
    expect(paths.filter((path) => path.includes('/podgroups'))).toEqual([])
    await servePodGroups(cluster, NATIVE)
    await createGang(cluster, NATIVE, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(3)
  })

  test('is v1beta1 in Kubernetes 1.37, whose condition has another name', async () => {
    await using cluster = await startWithGroups({}, NATIVE_BETA)
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGang(cluster, NATIVE_BETA, 'train', 2, { disruptionMode: { single: {} } })
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toHaveLength(2)
    expect(await groupConditions(cluster, NATIVE_BETA, 'train')).toEqual(['PodGroupInitiallyScheduled=True Scheduled'])
  })

  test('that this identity may not read delays only members of groups', async () => {
    const json = { 'content-type': 'application/json' }
    async function* body(): AsyncIterable<Uint8Array> {
      yield new TextEncoder().encode(
        JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 }),
      )
    }
    await using cluster = await startTestCluster({
      intercept: (handle) => async (request) =>
        request.path.includes('/podgroups') ? { status: 403, headers: json, body: body() } : handle(request),
    })
    await servePodGroups(cluster, NATIVE)
    await cluster.createNode('node-a', { [DONGLE]: '8' })
    await createGang(cluster, NATIVE, 'train', 1)
    await createMembers(cluster, 'train', 1)
    await cluster.createPod('single', { requests: one })
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['single on node-a'])
    expect(cluster.scheduler.notReady()).toBeUndefined()
  })
})

describe("scheduler-plugins' PodGroup", () => {
  const labelled = (cluster: TestCluster, name: string, group: string): Promise<unknown> =>
    cluster.admin.client.create(resourceRefs.pods, {
      metadata: { name, namespace: 'default', labels: { [POD_GROUP_LABEL]: group } },
      spec: {
        schedulerName: 'berth-scheduler',
        containers: [{ name: 'main', image: 'busybox', resources: { requests: one, limits: one } }],
      },
    })

  test('works the same way where its definition is served', async () => {
    await using cluster = await startWithGroups({}, COSCHEDULING)
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, COSCHEDULING, 'train', 3, { scheduleTimeoutSeconds: 10 })
    for (let i = 0; i < 3; i++) await labelled(cluster, `train-${i}`, 'train')
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    await cluster.createNode('node-b', { [DONGLE]: '1' })
    await cluster.clock.advance(2_000)
    expect(await boundPods(cluster)).toHaveLength(3)
  })

  test('waits until minResources are free', async () => {
    await using cluster = await startWithGroups({}, COSCHEDULING)
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, COSCHEDULING, 'train', 1, { minResources: { [DONGLE]: '4' } })
    await labelled(cluster, 'train-0', 'train')
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    expect(await messageOf(cluster, 'train-0')).toContain('less than minResources free of example.com/dongle')
    await cluster.createNode('node-b', { [DONGLE]: '2' })
    await cluster.clock.advance(20_000)
    expect(await boundPods(cluster)).toHaveLength(1)
  })

  test('is ignored, as by kube-scheduler, where its definition is not served', async () => {
    await using cluster = await startTestCluster()
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await labelled(cluster, 'train-0', 'train')
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a'])
  })
})
