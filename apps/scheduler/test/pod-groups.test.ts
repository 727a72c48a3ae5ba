import type { BerthPlugin, SchedulingHooks } from '@berth/plugin-api'
import { resourceRefs } from '@berth/k8s-client'
import { POD_GROUP_LABEL } from '@berth/fit-engine'
import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  boundPod,
  boundPods,
  COSCHEDULING,
  createGang,
  createGroup,
  deleteGroup,
  groupConditions,
  memberOf,
  NATIVE,
  NATIVE_BETA,
  servePodGroups,
} from './pod-group-cluster.ts'
import { type PodOptions, startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const one = { [DONGLE]: '1' }

async function startWithGroups(options: TestClusterOptions = {}, api = NATIVE): Promise<TestCluster> {
  const cluster = await startTestCluster(options)
  await servePodGroups(cluster, api)
  return cluster
}

async function createMembers(
  cluster: TestCluster,
  group: string,
  count: number,
  { from = 0, ...pod }: PodOptions & { readonly from?: number } = {},
): Promise<void> {
  for (let i = from; i < from + count; i++) {
    await cluster.createPod(`${group}-${i}`, { requests: one, spec: memberOf(group), ...pod })
  }
}

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

function slowPlugin(hooks: SchedulingHooks): BerthPlugin {
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'slow',
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
}

/** A plugin that delays members for longer than their group waits. */
function permitPlugin(delays: (name: string) => boolean): BerthPlugin {
  return slowPlugin({
    permit: (pod) => (delays(pod.metadata.name ?? '') ? { kind: 'wait', timeoutMs: 800_000 } : undefined),
  })
}
const slowConfig = `
profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: slow }] } } }]
`

describe('members that wait for their group', () => {
  test('all give their room back after the timeout, and are retried', async () => {
    let isSlow = true
    const slow = permitPlugin((name) => isSlow && name === 'train-1')
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    expect(cluster.scheduler.waitingPods.list().map(({ pod }) => pod.metadata.name)).toEqual(['train-1', 'train-0'])
    isSlow = false
    await cluster.clock.advance(299_000)
    expect(await boundPods(cluster)).toEqual([])
    await cluster.clock.advance(1_000)
    const text = 'pod group default/train: fewer than 2 members could be bound within 300 s'
    expect(await cluster.events('train-0')).toContain(`FailedScheduling: ${text}`)
    expect(await cluster.events('train-1')).toContain(`FailedScheduling: ${text}`)
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('return when one of them is deleted, and take room when it is replaced', async () => {
    let isSlow = true
    const slow = permitPlugin((name) => isSlow && name === 'train-1')
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    isSlow = false
    await cluster.deletePod('train-1')
    await cluster.clock.advance(12_000)
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(await boundPods(cluster)).toEqual([])
    await cluster.createPod('single', { requests: one })
    await cluster.settle()
    await cluster.deletePod('single')
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-2 on node-a'])
  })

  test('run preBind only when all of them have gathered', async () => {
    const calls: string[] = []
    let isSlow = true
    const slow = slowPlugin({
      permit: (pod) => (isSlow && pod.metadata.name === 'train-1' ? { kind: 'wait', timeoutMs: 60_000 } : undefined),
      preBind: (pod) => void calls.push(pod.metadata.name ?? ''),
    })
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(2)
    expect(calls).toEqual([])
    // The plugin does not allow the member in time: the other one has not run preBind in vain.
    isSlow = false
    await cluster.clock.advance(60_000)
    expect(calls).toEqual([])
    await cluster.clock.advance(12_000)
    expect(calls.toSorted()).toEqual(['train-0', 'train-1'])
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('start at once when another scheduler binds the member that they wait for', async () => {
    await using cluster = await startWithGroups({
      config: slowConfig,
      plugins: [permitPlugin((name) => name === 'train-1')],
    })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    await cluster.admin.client.bind(await cluster.pod('train-1'), 'node-a')
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-1 on node-a'])
  })

  test('return at once when a bound member ends', async () => {
    await using cluster = await startWithGroups({
      config: slowConfig,
      plugins: [permitPlugin((name) => name === 'train-2')],
    })
    await cluster.createNode('node-a', { [DONGLE]: '3' })
    await createGang(cluster, NATIVE, 'train', 3)
    await cluster.createPod('train-0', { requests: one, schedulerName: 'other', spec: memberOf('train') })
    await cluster.admin.client.bind(await cluster.pod('train-0'), 'node-a')
    await createMembers(cluster, 'train', 2, { from: 1 })
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(2)
    await cluster.deletePod('train-0')
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
  })

  test('return at once when one of them is deleted while its reserve hook runs', async () => {
    const slow = slowPlugin({
      reserve: (pod) => (pod.metadata.name === 'train-1' ? new Promise<undefined>(() => {}) : undefined),
    })
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.list().map(({ pod }) => pod.metadata.name)).toEqual(['train-0'])
    await cluster.deletePod('train-1')
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.scheduler.counts()).toMatchObject({ gated: 1 })
  })

  test('are replaced when one of them is deleted while its preBind hook runs', async () => {
    const preBind = Promise.withResolvers<undefined>()
    const slow = slowPlugin({ preBind: (pod) => (pod.metadata.name === 'train-1' ? preBind.promise : undefined) })
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a'])
    await cluster.deletePod('train-1')
    await cluster.settle()
    preBind.resolve(undefined)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-2 on node-a'])
  })

  test('return when a plugin rejects one of them', async () => {
    let isRejecting = true
    const slow = slowPlugin({
      reserve: (pod) =>
        isRejecting && pod.metadata.name === 'train-1'
          ? { kind: 'reject', code: StatusCode.Unschedulable, reasons: ['no licence'] }
          : undefined,
    })
    await using cluster = await startWithGroups({ config: slowConfig, plugins: [slow] })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await createGang(cluster, NATIVE, 'train', 2)
    await createMembers(cluster, 'train', 2)
    await cluster.clock.advance(3_000)
    expect(await boundPods(cluster)).toEqual([])
    isRejecting = false
    await cluster.clock.advance(20_000)
    expect(await boundPods(cluster)).toHaveLength(2)
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
