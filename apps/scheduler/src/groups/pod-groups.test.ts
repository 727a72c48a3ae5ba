import { fakeClock } from '@berth/clock/testing'
import type { ClusterChange } from '@berth/cluster-view'
import { createClusterState, podGroupKey, podGroupRefOf } from '@berth/fit-engine'
import { type Pod, type PodGroup, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { createWaitingPods } from '../permit/waiting-pods.ts'
import { createSchedulingQueue, defaultBackoff, type SchedulingQueue } from '../queue/scheduling-queue.ts'
import { createPodGroups } from './pod-groups.ts'

const group: PodGroup = {
  ref: { api: 'scheduling.k8s.io', namespace: 'default', name: 'train' },
  version: 'v1alpha2',
  metadata: { name: 'train', namespace: 'default' },
  minCount: 10,
  minResources: {},
  timeoutMs: 300_000,
  unsupported: [],
  conditions: [],
}

/** Starts the groups and the queue of a scheduler, and counts how often the specs of pods are read. */
function start() {
  const clock = fakeClock()
  const view = { state: createClusterState(), pods: () => [] }
  const groups = createPodGroups({
    view: view as never,
    podGroups: { get: () => group, isServed: () => true, subscribe: () => () => {} } as never,
    waitingPods: createWaitingPods(clock),
    unboundPods: { preempt: () => false },
    client: {} as never,
    clock,
    log: silentLogger,
    signal: new AbortController().signal,
    mayStart: () => true,
  })
  const queue: SchedulingQueue = createSchedulingQueue({
    clock,
    compare: () => 0,
    isHelpedBy: () => false,
    backoff: defaultBackoff,
    groupHold: (pod) => groups.holdReason(pod),
    podGroupOf: (pod) => {
      const ref = podGroupRefOf(pod)
      return ref && podGroupKey(ref)
    },
  })
  let reads = 0
  const member = (i: number): Pod => {
    const spec = { containers: [], schedulingGroup: { podGroupName: 'train' } }
    return {
      metadata: { name: `train-${i}`, namespace: 'default', uid: `${i}` },
      get spec() {
        reads += 1
        return spec
      },
    }
  }
  const add = (i: number): number => {
    reads = 0
    const change: ClusterChange = { kind: 'pod-added', pod: member(i) }
    groups.observe(change)
    queue.add(change.pod)
    groups.requeueAfter(change, queue)
    return reads
  }
  return { queue, add }
}

test('costs as little for the last member of a large group as for an early one', () => {
  const { queue, add } = start()
  for (let i = 0; i < 10; i++) add(i)
  expect(queue.counts()).toMatchObject({ active: 10, gated: 0 })
  const early = add(10)
  for (let i = 11; i < 2_000; i++) add(i)
  expect(early).toBeGreaterThan(0)
  expect(add(2_000)).toBe(early)
})

test('reads no pod in flight when their group gets another member, and retries them', () => {
  const { queue, add } = start()
  for (let i = 0; i < 1_000; i++) add(i)
  const infos = Array.from({ length: 1_000 }, () => queue.pop()).filter((info) => info !== undefined)
  expect(add(1_000)).toBeLessThan(20)
  for (const info of infos) queue.addUnschedulable(info, new Set(['NodeResourcesFit']))
  expect(queue.counts()).toMatchObject({ backoff: 1_000, unschedulable: 0 })
})

test('releases every member that was held back when minCount members exist', () => {
  const { queue, add } = start()
  for (let i = 0; i < 9; i++) add(i)
  expect(queue.counts()).toMatchObject({ active: 0, gated: 9 })
  add(9)
  expect(queue.counts()).toMatchObject({ active: 10, gated: 0 })
})
