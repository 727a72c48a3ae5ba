import { fakeClock } from '@berth/clock/testing'
import type { ClusterChange } from '@berth/cluster-view'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { AttemptGroup } from './attempt-groups.ts'
import { prioritySort } from './queued-pod.ts'
import { GANG_SCHEDULING } from './rejectors.ts'
import {
  createSchedulingQueue,
  defaultBackoff,
  type SchedulingQueue,
  type SchedulingQueueOptions,
} from './scheduling-queue.ts'

const pod = (name: string, fields: { readonly priority?: number; readonly gates?: number } = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: {
    containers: [],
    priority: fields.priority ?? 0,
    schedulingGates: Array.from({ length: fields.gates ?? 0 }, (_, i) => ({ name: `gate-${i}` })),
  },
})
const change: ClusterChange = { kind: 'node-added', node: { metadata: { name: 'node-a' } } }
const fit = new Set(['NodeResourcesFit'])

function setUp(
  wakes: () => boolean = () => true,
  more: Partial<SchedulingQueueOptions> = {},
): { queue: SchedulingQueue; clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock()
  const options = { clock, compare: prioritySort, isHelpedBy: wakes, backoff: defaultBackoff, ...more }
  return { clock, queue: createSchedulingQueue(options) }
}

function popped(queue: SchedulingQueue): NonNullable<ReturnType<SchedulingQueue['pop']>> {
  const info = queue.pop()
  if (info === undefined) throw new Error('nothing to pop')
  return info
}

describe('the scheduling queue', () => {
  test('pops higher priority first, then the pod that was queued first', () => {
    const { queue } = setUp()
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 9],
    ] as const)
      queue.add(pod(name, { priority }))
    const names = [1, 2, 3, 4].map(() => popped(queue).pod.metadata.name)
    expect(names).toEqual(['d', 'b', 'a', 'c'])
    expect(queue.pop()).toBeUndefined()
  })

  test('takes a pod of a free group early, although a pod of a full group has the shorter backoff', async () => {
    const clock = fakeClock()
    const attemptGroupsOf = ({ metadata: { name = '' } }: Pod): readonly AttemptGroup[] =>
      name.startsWith('grouped') ? [{ name: 'group', limit: 1, until: 'end' }] : []
    const queue = createSchedulingQueue({
      clock,
      compare: prioritySort,
      isHelpedBy: () => true,
      backoff: defaultBackoff,
      attemptGroupsOf,
    })
    const reject = (): void => {
      const info = popped(queue)
      queue.leaveGroups(info.key, 'end')
      queue.addUnschedulable(info, fit)
      queue.onClusterChange(change)
    }
    queue.add(pod('free'))
    reject()
    await clock.advance(100)
    reject()
    queue.add(pod('grouped-1'))
    reject()
    queue.add(pod('grouped-2'))
    expect(popped(queue).pod.metadata.name).toBe('grouped-2')
    await clock.advance(100)
    expect(queue.counts()).toMatchObject({ backoff: 2, inFlight: 1 })
    expect(queue.pop()?.pod.metadata.name).toBe('free')
    expect(queue.pop()).toBeUndefined()
    const waiting = queue.waitForPod(new AbortController().signal)
    queue.leaveGroups('uid-grouped-2', 'end')
    await waiting
    expect(queue.pop()?.pod.metadata.name).toBe('grouped-1')
    queue[Symbol.dispose]()
  })

  test('pops no more pods of a group than its limit, by priority over all groups', async () => {
    const clock = fakeClock()
    const attemptGroupsOf = ({ metadata: { name = '' } }: Pod) =>
      name.startsWith('free')
        ? []
        : [{ name: name[0] ?? '', limit: name.startsWith('two') ? 2 : 1, until: 'end' as const }]
    const queue = createSchedulingQueue({
      clock,
      compare: prioritySort,
      isHelpedBy: () => true,
      backoff: defaultBackoff,
      attemptGroupsOf,
    })
    for (const [name, priority] of [
      ['x1', 9],
      ['x2', 8],
      ['x3', 7],
      ['free1', 6],
      ['y1', 5],
      ['free2', 4],
      ['two1', 3],
      ['two2', 2],
      ['two3', 1],
    ] as const)
      queue.add(pod(name, { priority }))
    const names = (): readonly (string | undefined)[] => {
      const all: (string | undefined)[] = []
      for (let info = queue.pop(); info !== undefined; info = queue.pop()) all.push(info.pod.metadata.name)
      return all
    }
    expect(names()).toEqual(['x1', 'free1', 'y1', 'free2', 'two1', 'two2'])
    let isWoken = false
    const waiting = queue.waitForPod(new AbortController().signal).then(() => (isWoken = true))
    await clock.settle()
    expect(isWoken).toBe(false)
    queue.leaveGroups('uid-x1', 'end')
    await waiting
    expect(names()).toEqual(['x2'])
    queue.leaveGroups('uid-x1', 'end')
    queue.remove(pod('x3'))
    queue.leaveGroups('uid-x2', 'end')
    expect(names()).toEqual([])
    queue.leaveGroups('uid-two2', 'end')
    expect(names()).toEqual(['two3'])
  })

  test('pops a pod of two groups when both are free, and counts it in one of them until the end', () => {
    const attemptGroupsOf = (): readonly AttemptGroup[] => [
      { name: 'extender', limit: 1, until: 'node-chosen' },
      { name: 'hooks', limit: 2, until: 'end' },
    ]
    const queue = createSchedulingQueue({
      clock: fakeClock(),
      compare: prioritySort,
      isHelpedBy: () => true,
      backoff: defaultBackoff,
      attemptGroupsOf,
    })
    for (const name of ['a', 'b', 'c']) queue.add(pod(name))
    expect(queue.pop()?.pod.metadata.name).toBe('a')
    expect(queue.pop()).toBeUndefined()
    queue.leaveGroups('uid-a', 'node-chosen')
    expect(queue.pop()?.pod.metadata.name).toBe('b')
    queue.leaveGroups('uid-b', 'node-chosen')
    expect(queue.pop()).toBeUndefined()
    queue.leaveGroups('uid-a', 'end')
    expect(queue.pop()?.pod.metadata.name).toBe('c')
  })

  test("reports the queue that a pod enters, with kube-scheduler's label of the event", async () => {
    const clock = fakeClock()
    const seen: string[] = []
    const queue = createSchedulingQueue({
      clock,
      compare: prioritySort,
      isHelpedBy: () => true,
      backoff: defaultBackoff,
      onIncoming: (name, event) => seen.push(`${name} ${event}`),
    })
    queue.add(pod('a'))
    queue.add(pod('gated', { gates: 1 }))
    queue.update(pod('gated', { gates: 1 }), true)
    queue.addUnschedulable(popped(queue), fit)
    queue.onClusterChange(change)
    await clock.advance(100)
    queue.retryAfterBackoff(popped(queue))
    await clock.advance(2_000)
    queue.update(pod('gated'), true)
    expect(seen).toEqual([
      'active UnschedulablePodAdd',
      'unschedulable UnschedulablePodAdd',
      'unschedulable ScheduleAttemptFailure',
      'backoff NodeAdd',
      'active PopFromBackoffQ',
      'backoff ScheduleAttemptFailure',
      'active BackoffComplete',
      'active UnschedulablePodUpdate',
    ])
  })

  test('lists its pods with their parts', () => {
    const { queue } = setUp(() => false)
    for (const name of ['a', 'b']) queue.add(pod(name))
    queue.add(pod('c', { gates: 1 }))
    queue.addUnschedulable(popped(queue), fit)
    const places = [...queue.pods()].map(({ place, info }) => `${info.pod.metadata.name} ${place}`)
    expect(places).toEqual(['b active', 'a unschedulable', 'c gated'])
  })

  test('keeps the time of the first attempt', async () => {
    const { queue, clock } = setUp()
    await clock.advance(5)
    queue.add(pod('a'))
    await clock.advance(7)
    const first = popped(queue)
    queue.retryAfterBackoff(first)
    await clock.advance(5_000)
    expect([first.firstSeenMs, first.firstAttemptMs, popped(queue).firstAttemptMs]).toEqual([5, 12, 12])
  })

  test('counts attempts', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    const first = popped(queue)
    queue.retryAfterBackoff(first)
    expect(first.attempts).toBe(1)
    expect(queue.counts()).toMatchObject({ backoff: 1, inFlight: 0 })
  })

  test('keeps a rejected pod unschedulable while no change helps it', () => {
    const { queue } = setUp(() => false)
    queue.add(pod('a'))
    queue.addUnschedulable(popped(queue), fit)
    queue.onClusterChange(change)
    expect(queue.pop()).toBeUndefined()
    expect(queue.counts()).toMatchObject({ unschedulable: 1 })
  })

  test('requeues a rejected pod after a change that helps, and ends its backoff early when idle', async () => {
    const { queue, clock } = setUp()
    queue.add(pod('a'))
    queue.addUnschedulable(popped(queue), fit)
    queue.onClusterChange(change)
    expect(queue.counts()).toMatchObject({ backoff: 1 })
    expect(queue.pop()).toBeUndefined()
    await clock.advance(100)
    expect(popped(queue)).toMatchObject({ attempts: 2, rejections: 1 })
  })

  test('pops woken pods of equal priority in the order of their last attempts, whichever was woken first', async () => {
    const clock = fakeClock()
    const wakes: string[] = []
    const isHelpedBy = ({ pod: { metadata } }: { readonly pod: Pod }): boolean => wakes.at(-1) === metadata.name
    const queue = createSchedulingQueue({ clock, compare: prioritySort, isHelpedBy, backoff: defaultBackoff })
    for (const name of ['a', 'b']) {
      queue.add(pod(name))
      queue.addUnschedulable(popped(queue), fit)
      await clock.advance(10)
    }
    await clock.advance(20_000)
    for (const name of ['b', 'a']) {
      wakes.push(name)
      queue.onClusterChange(change)
      await clock.advance(10)
    }
    expect([popped(queue), popped(queue)].map((info) => info.pod.metadata.name)).toEqual(['a', 'b'])
  })

  test('orders pods whose backoff ends within the same second by priority', async () => {
    const { queue, clock } = setUp()
    for (const [name, priority] of [
      ['low', 0],
      ['high', 5],
    ] as const) {
      queue.add(pod(name, { priority }))
      queue.addUnschedulable(popped(queue), fit)
      await clock.advance(50)
    }
    await clock.advance(200)
    queue.onClusterChange(change)
    expect(queue.counts()).toMatchObject({ backoff: 2 })
    expect([popped(queue), popped(queue)].map((info) => info.pod.metadata.name)).toEqual(['high', 'low'])
  })

  test('puts a pod whose gates are removed where it was queued first', async () => {
    const { queue, clock } = setUp()
    queue.add(pod('gated', { gates: 1 }))
    await clock.advance(10)
    queue.add(pod('later'))
    queue.update(pod('gated'), true)
    expect([popped(queue), popped(queue)].map((info) => info.pod.metadata.name)).toEqual(['gated', 'later'])
  })

  test('takes changes into account that happen while the pod is in flight', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    const info = popped(queue)
    queue.onClusterChange(change)
    queue.addUnschedulable(info, fit)
    expect(queue.counts()).toMatchObject({ unschedulable: 0, backoff: 1 })
  })

  test('ignores changes from before the flight', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    queue.onClusterChange(change)
    queue.addUnschedulable(popped(queue), fit)
    expect(queue.counts()).toMatchObject({ unschedulable: 1, backoff: 0 })
  })

  test('keeps a pod whose attempt failed with an error for its whole backoff', async () => {
    const { queue, clock } = setUp()
    queue.add(pod('a'))
    queue.retryAfterBackoff(popped(queue))
    expect(queue.pop()).toBeUndefined()
    await clock.advance(999)
    expect(queue.pop()).toBeUndefined()
    await clock.advance(1)
    queue.retryAfterBackoff(popped(queue))
    await clock.advance(1_999)
    expect(queue.pop()).toBeUndefined()
    await clock.advance(1)
    expect(popped(queue).errors).toBe(2)
  })

  test('resets the count of errors after a rejection', async () => {
    const { queue, clock } = setUp(() => false)
    queue.add(pod('a'))
    queue.retryAfterBackoff(popped(queue))
    await clock.advance(1_000)
    queue.addUnschedulable(popped(queue), fit)
    queue.update(pod('a', { priority: 3 }), true)
    await clock.advance(100)
    expect(popped(queue)).toMatchObject({ errors: 0, rejections: 1, pod: { spec: { priority: 3 } } })
  })

  test('retries a pod without rejectors after its backoff', async () => {
    const { queue, clock } = setUp()
    queue.add(pod('a'))
    queue.addUnschedulable(popped(queue), new Set())
    expect(queue.pop()).toBeUndefined()
    await clock.advance(1_000)
    expect(popped(queue).attempts).toBe(2)
  })

  test('retries an unschedulable pod after five minutes', async () => {
    const { queue, clock } = setUp(() => false)
    queue.add(pod('a'))
    queue.addUnschedulable(popped(queue), fit)
    await clock.advance(5 * 60_000)
    expect(queue.pop()).toBeUndefined()
    await clock.advance(30_000)
    expect(popped(queue).attempts).toBe(2)
  })

  test('keeps a gated pod until its gates are removed, whatever else changes', () => {
    const { queue } = setUp()
    queue.add(pod('a', { gates: 2 }))
    queue.onClusterChange(change)
    queue.update(pod('a', { gates: 1 }), true)
    expect(queue.counts()).toMatchObject({ gated: 1, active: 0 })
    queue.update(pod('a'), true)
    expect(queue.counts()).toMatchObject({ gated: 0, active: 1 })
  })

  test('requeues an unschedulable pod when its spec changes, but not when its status changes', () => {
    const { queue } = setUp(() => false)
    queue.add(pod('a'))
    queue.addUnschedulable(popped(queue), fit)
    queue.update(pod('a'), false)
    expect(queue.counts()).toMatchObject({ unschedulable: 1 })
    queue.update(pod('a', { priority: 1 }), true)
    expect(queue.counts()).toMatchObject({ unschedulable: 0, backoff: 1 })
  })

  test('retries a pod that changed in flight with its latest object', async () => {
    const { queue, clock } = setUp(() => false)
    queue.add(pod('a'))
    const info = popped(queue)
    queue.update(pod('a', { priority: 7 }), true)
    queue.addUnschedulable(info, fit)
    await clock.advance(100)
    expect(popped(queue).pod.spec.priority).toBe(7)
  })

  test('forgets a pod that is removed in flight', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    const info = popped(queue)
    queue.remove(pod('a'))
    queue.addUnschedulable(info, fit)
    queue.retryAfterBackoff(info)
    queue.done(info.key)
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
  })

  test('updates a known pod that is added again', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    queue.add(pod('a', { priority: 2 }))
    expect(popped(queue).pod.spec.priority).toBe(2)
    expect(queue.pop()).toBeUndefined()
  })

  test('wakes a waiting loop when a pod arrives or its signal aborts', async () => {
    const { queue, clock } = setUp()
    let woken = 0
    const stop = new AbortController()
    void queue.waitForPod(stop.signal).then(() => (woken += 1))
    await clock.settle()
    expect(woken).toBe(0)
    queue.add(pod('a'))
    await clock.settle()
    expect(woken).toBe(1)
    popped(queue)
    void queue.waitForPod(stop.signal).then(() => (woken += 1))
    stop.abort()
    await clock.settle()
    expect(woken).toBe(2)
  })

  test('retries a pod that its group rejected, when the group changed while the pod was in flight', async () => {
    const { queue, clock } = setUp(() => false, { podGroupOf: () => 'train' })
    queue.add(pod('a'))
    const info = popped(queue)
    queue.requeueGroup('train')
    queue.addUnschedulable(info, new Set([GANG_SCHEDULING]))
    expect(queue.counts()).toMatchObject({ backoff: 1, unschedulable: 0 })
    await clock.advance(2_000)
    expect(popped(queue)).toMatchObject({ attempts: 2 })
  })

  test('holds back any number of pods in backoff whose group was deleted', async () => {
    const clock = fakeClock()
    let hold: string | undefined
    const queue = createSchedulingQueue({
      clock,
      compare: prioritySort,
      isHelpedBy: () => true,
      backoff: defaultBackoff,
      groupHold: () => hold,
    })
    const count = 20_000
    for (let i = 0; i < count; i++) queue.add(pod(`pod-${i}`))
    const infos = Array.from({ length: count }, () => popped(queue))
    queue.onClusterChange(change)
    for (const info of infos) queue.addUnschedulable(info, fit)
    expect(queue.counts()).toMatchObject({ backoff: count })
    await clock.advance(150)
    hold = 'the group does not exist'
    expect(queue.pop()).toBeUndefined()
    expect(queue.counts()).toMatchObject({ gated: count, backoff: 0 })
  })

  test('does not requeue the pod that caused a change', () => {
    const { queue } = setUp()
    queue.add(pod('a'))
    const info = popped(queue)
    queue.addUnschedulable(info, fit)
    queue.onClusterChange(change, info.key)
    expect(queue.counts()).toMatchObject({ unschedulable: 1 })
  })

  test('cancels its timers when disposed', () => {
    const { queue, clock } = setUp(() => false)
    queue.add(pod('a'))
    queue.add(pod('b'))
    queue.addUnschedulable(popped(queue), fit)
    queue.retryAfterBackoff(popped(queue))
    expect(clock.pendingTimers()).toBe(2)
    queue[Symbol.dispose]()
    expect(clock.pendingTimers()).toBe(0)
  })
})
