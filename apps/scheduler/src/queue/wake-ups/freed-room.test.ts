import { fakeClock } from '@berth/clock/testing'
import { createClusterState, createFramework, defaultPlugins } from '@berth/fit-engine'
import { type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createWakeIndex } from './create-wake-index.ts'
import { createIsHelpedBy } from '../is-helped-by.ts'
import { prioritySort, type QueuedPodInfo } from '../queued-pod.ts'
import { createSchedulingQueue, defaultBackoff } from '../scheduling-queue.ts'

const DONGLE = 'example.com/dongle'
const FIT = new Set(['NodeResourcesFit'])
/** The first backoff ends with its window, at most a second late. */
const BACKOFF_MS = 2_000

function dongles(name: string, units: number, { on, priority = 0 }: { on?: string; priority?: number } = {}): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      priority,
      ...(on !== undefined && { nodeName: on }),
      containers: [{ name: 'c', resources: { requests: { [DONGLE]: `${units}` } } }],
    },
  }
}

/** A node whose eight dongles are held by one pod each, and unschedulable pods with the names and units. */
async function setUp(
  waiting: readonly Pod[],
  { framework = createFramework({ plugins: defaultPlugins() }), indexAbove = 0, apartMs = 1 } = {},
) {
  const clock = fakeClock({ turns: 0 })
  const state = createClusterState()
  state.setNode({ metadata: { name: 'n' }, status: { allocatable: { [DONGLE]: '8', pods: '100', cpu: '8' } } })
  for (let i = 0; i < 8; i++) state.setPod(dongles(`held-${i}`, 1, { on: 'n' }))
  const isHelpedBy = createIsHelpedBy(
    () => undefined,
    () => false,
    silentLogger,
  )
  const wakeIndex = createWakeIndex({
    frameworkOf: () => framework,
    isHelpedBy,
    view: { state, nominatedNode: ({ metadata }) => (metadata.name === 'reserved' ? 'n' : undefined) },
    log: silentLogger,
  })
  const queue = createSchedulingQueue({
    clock,
    compare: prioritySort,
    isHelpedBy,
    wakeIndex,
    indexAbove,
    backoff: defaultBackoff,
  })
  const park = (pod: Pod): void => {
    queue.add(pod)
    const info = queue.pop()
    if (info === undefined) throw new Error('nothing to pop')
    queue.addUnschedulable(info, FIT)
  }
  for (const pod of waiting) {
    park(pod)
    await clock.advance(apartMs)
  }
  await clock.advance(BACKOFF_MS)
  return {
    clock,
    queue,
    state,
    park,
    wakeIndex,
    /** Deletes the pods that hold a dongle each. */
    free: (...indexes: readonly number[]): void => {
      for (const i of indexes) {
        const pod = dongles(`held-${i}`, 1, { on: 'n' })
        state.deletePod(pod)
        queue.onClusterChange({ kind: 'pod-deleted', pod })
      }
    },
    pop: (): QueuedPodInfo => {
      const info = queue.pop()
      if (info === undefined) throw new Error('nothing to pop')
      return info
    },
    /** Returns the names of the pods that may be attempted, and takes them. */
    popAll: (): readonly (string | undefined)[] => {
      const names: (string | undefined)[] = []
      for (let info = queue.pop(); info !== undefined; info = queue.pop()) names.push(info.pod.metadata.name)
      return names
    },
  }
}

describe('room that is freed on a node', () => {
  test('requeues as many pods as fit, in queue order', async () => {
    const many = Array.from({ length: 100 }, (_, i) => dongles(`p${i}`, 1, { priority: i === 70 ? 1 : 0 }))
    const { free, popAll, queue } = await setUp(many)
    free(0)
    expect(popAll()).toEqual(['p70'])
    free(1, 2)
    expect(popAll()).toEqual(['p0', 'p1'])
    expect(queue.counts()).toMatchObject({ unschedulable: 97 })
  })

  test('requeues every pod that the hints would requeue while few pods wait, as kube-scheduler does', async () => {
    const { free, park, popAll, clock } = await setUp(
      ['a', 'b', 'c'].map((name) => dongles(name, 1)),
      { indexAbove: 3 },
    )
    free(0)
    expect(popAll()).toEqual(['a', 'b', 'c'])
    for (const name of ['d', 'e', 'f', 'g']) park(dongles(name, 1))
    await clock.advance(BACKOFF_MS)
    free(1)
    expect(popAll()).toEqual(['d', 'e'])
  })

  test('is offered to pods of equal rank in the order in which they came, although the first was updated', async () => {
    const pods = ['a', 'b', 'c'].map((name) => dongles(name, 1))
    const { free, popAll, queue } = await setUp(pods, { apartMs: 0 })
    queue.update({ ...dongles('a', 1), status: { phase: 'Pending' } }, false)
    free(0, 1)
    expect(popAll()).toEqual(['a', 'b'])
  })

  test('passes over pods that need more, and requeues them when there is enough', async () => {
    const { free, popAll } = await setUp([dongles('large', 3), dongles('small', 1), dongles('next', 1)])
    free(0)
    expect(popAll()).toEqual(['small'])
    free(1, 2, 3)
    expect(popAll()).toEqual(['next'])
    // One unit each is claimed by small and next, two are free.
    free(4)
    expect(popAll()).toEqual(['large'])
  })

  test('is offered to the next pod at once when the first fails for another reason', async () => {
    const { free, pop, popAll, queue } = await setUp([dongles('a', 1), dongles('b', 1), dongles('c', 1)])
    free(0)
    const first = pop()
    expect(first.pod.metadata.name).toBe('a')
    expect(queue.pop()).toBeUndefined()
    queue.addUnschedulable(first, new Set(['NodeResourcesFit', 'VolumeBinding']))
    expect(popAll()).toEqual(['b'])
  })

  test('is offered to every other pod once, and then waits for the next event', async () => {
    const { free, queue, clock } = await setUp([dongles('a', 1), dongles('b', 1), dongles('c', 1)])
    free(0)
    const attempted: (string | undefined)[] = []
    for (let info = queue.pop(); info !== undefined; info = queue.pop()) {
      attempted.push(info.pod.metadata.name)
      queue.addUnschedulable(info, FIT)
    }
    expect(attempted).toEqual(['a', 'b', 'c'])
    await clock.advance(60_000)
    expect(queue.pop()).toBeUndefined()
  })

  test.for(['error', 'deletion', 'bind elsewhere'] as const)(
    'is offered to the next pod after the %s of the first',
    async (end) => {
      const { free, pop, popAll, queue } = await setUp([dongles('a', 1), dongles('b', 1)])
      free(0)
      const first = pop()
      if (end === 'error') queue.retryAfterBackoff(first)
      else if (end === 'deletion') queue.remove(first.pod)
      else queue.leaveGroups(first.key, 'node-chosen')
      expect(popAll()).toEqual(['b'])
    },
  )

  test('is not offered to others when the first has taken it', async () => {
    const { free, pop, queue, state } = await setUp([dongles('a', 1), dongles('b', 1)])
    free(0)
    const first = pop()
    state.assume(first.pod, 'n')
    queue.leaveGroups(first.key, 'node-chosen')
    queue.done(first.key)
    expect(queue.pop()).toBeUndefined()
    expect(queue.counts()).toMatchObject({ unschedulable: 1 })
  })

  test('is offered to the next pod when an attempt does not end', async () => {
    const { free, pop, popAll, clock } = await setUp([dongles('a', 1), dongles('b', 1)])
    free(0)
    expect(pop().pod.metadata.name).toBe('a')
    await clock.advance(2_000)
    expect(popAll()).toEqual(['b'])
  })

  test('prefers a pod whose backoff has ended, and does not stay free when every pod waits for its backoff', async () => {
    const { free, park, popAll, queue } = await setUp([dongles('ready', 1)])
    park(dongles('important', 1, { priority: 9 }))
    free(0)
    expect(popAll()).toEqual(['ready'])
    free(1)
    expect(queue.counts()).toMatchObject({ backoff: 1, unschedulable: 0 })
  })

  test('requeues a pod that fits once pods of lower priority are evicted, unless it may not preempt', async () => {
    const never = dongles('never', 8, { priority: 7 })
    const { free, popAll, state } = await setUp([
      dongles('preemptor', 8, { priority: 5 }),
      { ...never, spec: { ...never.spec, preemptionPolicy: 'Never' } },
      dongles('equal', 8, { priority: 1 }),
    ])
    for (let i = 1; i < 8; i++) state.setPod(dongles(`held-${i}`, 1, { on: 'n', priority: 1 }))
    free(0)
    expect(popAll()).toEqual(['preemptor'])
  })

  test('requeues the pod for which it is reserved, and no other', async () => {
    const { free, popAll, state } = await setUp([dongles('a', 1), dongles('reserved', 1)])
    state.nominate(dongles('reserved', 1), 'n')
    free(0)
    expect(popAll()).toEqual(['reserved'])
  })

  test.for([{ to: 'another node', nominatedNodeName: 'm' }, { to: 'no node' }])(
    'is offered when the pod for which it was reserved is nominated for $to',
    async ({ nominatedNodeName }) => {
      const { queue, state, popAll } = await setUp([dongles('a', 1)])
      state.deletePod(dongles('held-0', 1, { on: 'n' }))
      const pod = dongles('reserved', 1)
      const old = { ...pod, status: { nominatedNodeName: 'n' } }
      const status = nominatedNodeName === undefined ? {} : { nominatedNodeName }
      queue.onClusterChange({ kind: 'pod-updated', old, pod: { ...pod, status } }, 'reserved')
      expect(popAll()).toEqual(['a'])
    },
  )

  test('requeues a nominated pod that does not fit, because its attempt may clear the nomination', async () => {
    const { free, popAll, state } = await setUp([dongles('large', 9), dongles('reserved', 9)])
    state.nominate(dongles('reserved', 9), 'n')
    free(0)
    expect(popAll()).toEqual(['reserved'])
  })

  test('requeues a pod whose resource the profile ignores', async () => {
    const ignoring = createFramework({
      plugins: defaultPlugins({ NodeResourcesFit: { ignoredResources: ['example.com/elsewhere'] } }),
    })
    const pod = dongles('a', 1)
    const [container] = pod.spec.containers
    const requests = { [DONGLE]: '1', 'example.com/elsewhere': '5' }
    const both = { ...pod, spec: { ...pod.spec, containers: [{ name: 'c', ...container, resources: { requests } }] } }
    const { free, popAll } = await setUp([both], { framework: ignoring })
    free(0)
    expect(popAll()).toEqual(['a'])
  })

  test('does not requeue the pod that caused the event', async () => {
    const { queue, state, popAll } = await setUp([dongles('a', 1), dongles('b', 1)])
    const pod = dongles('held-0', 1, { on: 'n' })
    state.deletePod(pod)
    queue.onClusterChange({ kind: 'pod-deleted', pod }, 'a')
    expect(popAll()).toEqual(['b'])
    expect(queue.counts()).toMatchObject({ unschedulable: 1 })
  })

  test('helps a pod whose attempt runs meanwhile', async () => {
    const { free, queue, clock, popAll } = await setUp([])
    queue.add(dongles('late', 1))
    const info = queue.pop()
    if (info === undefined) throw new Error('nothing to pop')
    free(0)
    queue.addUnschedulable(info, FIT)
    await clock.advance(BACKOFF_MS)
    expect(popAll()).toEqual(['late'])
  })
})

test('pods with equal demands share their conditions', async () => {
  const { wakeIndex, queue, pop } = await setUp([])
  const conditions = ['a', 'b'].map((name) => {
    queue.add(dongles(name, 1))
    return wakeIndex.conditionsOf({ ...pop(), rejectors: new Set(FIT) })
  })
  queue.add(dongles('c', 2))
  expect(conditions[1]).toBe(conditions[0])
  expect(wakeIndex.conditionsOf({ ...pop(), rejectors: FIT })).not.toBe(conditions[0])
})
