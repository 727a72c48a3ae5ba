import { fakeClock } from '@berth/clock/testing'
import type { ClusterChange } from '@berth/cluster-view'
import type { Pod, PodGroup } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createWaitingPods, type PermitDecision } from '../permit/waiting-pods.ts'
import { createGangBarriers } from './gang-barrier.ts'
import { createGroupDirectory } from './group-directory.ts'

const member = (name: string, nodeName = ''): Pod => ({
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], nodeName, schedulingGroup: { podGroupName: name.split('-')[0] ?? '' } },
})
const groupOf = (name: string, minCount = 1): PodGroup => ({
  ref: { api: 'scheduling.k8s.io', namespace: 'default', name },
  version: 'v1alpha2',
  metadata: { name, namespace: 'default' },
  minCount,
  minResources: {},
  timeoutMs: 300_000,
  unsupported: [],
  conditions: [],
})
const observer = { onComplete: () => {}, onRejected: () => {} }

/** Barriers over a directory that learns of the same changes. */
function startBarriers() {
  const clock = fakeClock()
  const ended: string[] = []
  const directory = createGroupDirectory(
    { pods: () => [], state: { isAssumed: () => false } as never },
    { get: () => undefined, isServed: () => true },
  )
  const barriers = createGangBarriers({
    waitingPods: createWaitingPods(clock),
    unboundPods: {
      preempt: (uid) => {
        ended.push(uid)
        return true
      },
    },
    directory,
    clock,
  })
  const observe = (change: ClusterChange): void => {
    directory.observe(change)
    barriers.observe(change)
  }
  const add = (name: string, nodeName = ''): Pod => {
    const pod = member(name, nodeName)
    observe({ kind: 'pod-added', pod })
    return pod
  }
  return { clock, ended, barriers, observe, add }
}

test('forgets the groups whose members are bound or gone, and keeps those whose members are being bound', async () => {
  const { clock, barriers, observe, add } = startBarriers()
  const bindFirst = async (name: string): Promise<void> => {
    const pod = add(`${name}-0`)
    const barrier = barriers.join(groupOf(name), [pod], observer)
    expect(await barrier.arrive(pod, 'node-a')).toEqual({ kind: 'passed' })
  }
  for (const name of ['bound', 'deleted', 'binding']) await bindFirst(name)
  observe({ kind: 'pod-updated', pod: member('bound-0', 'node-a'), old: member('bound-0') })
  observe({ kind: 'pod-deleted', pod: member('deleted-0') })
  await bindFirst('next')
  expect(barriers.size).toBe(2)
  expect(clock.pendingTimers()).toBe(0)
})

describe('a gang of which one member waits and another one is on its way', () => {
  async function startWaiting(minCount: number, more: readonly [string, string][] = []) {
    const world = startBarriers()
    const [first, second] = [world.add('train-0'), world.add('train-1')]
    for (const [name, nodeName] of more) world.add(name, nodeName)
    const barrier = world.barriers.join(groupOf('train', minCount), [first, second], observer)
    const decision: { value?: PermitDecision } = {}
    void (async () => {
      decision.value = await barrier.arrive(first, 'node-a')
    })()
    await world.clock.settle()
    expect(decision.value).toBeUndefined()
    return { ...world, barrier, decision, second }
  }
  const rejected = {
    kind: 'rejected',
    message: 'pod group default/train: fewer than 2 members can be bound, because another member failed or was deleted',
  }

  test('starts when another scheduler binds the other member', async () => {
    const { clock, observe, decision, second, barrier, barriers } = await startWaiting(2)
    observe({ kind: 'pod-updated', pod: member('train-1', 'node-b'), old: second })
    await clock.settle()
    expect(decision.value).toEqual({ kind: 'passed' })
    barrier.leave(second)
    observe({ kind: 'pod-updated', pod: member('train-0', 'node-a'), old: member('train-0') })
    expect(barriers.size).toBe(0)
  })

  test('starts when another scheduler binds a member that this one has not placed', async () => {
    const { clock, add, decision } = await startWaiting(2)
    add('train-2', 'node-b')
    await clock.settle()
    expect(decision.value).toEqual({ kind: 'passed' })
  })

  test('is rejected when the other member is deleted', async () => {
    const { clock, observe, decision, second } = await startWaiting(2)
    observe({ kind: 'pod-deleted', pod: second })
    await clock.settle()
    expect(decision.value).toMatchObject(rejected)
  })

  test('is rejected, with the member on its way, when a bound member ends', async () => {
    const { clock, observe, decision, ended } = await startWaiting(3, [['train-2', 'node-b']])
    const bound = member('train-2', 'node-b')
    observe({ kind: 'pod-updated', pod: { ...bound, status: { phase: 'Failed' } }, old: bound })
    await clock.settle()
    expect(decision.value).toMatchObject({ kind: 'rejected' })
    expect(ended).toEqual(['train-1'])
  })

  test('goes on waiting when a member of another gang is deleted', async () => {
    const { clock, add, observe, decision } = await startWaiting(2)
    observe({ kind: 'pod-deleted', pod: add('other-0') })
    await clock.settle()
    expect(decision.value).toBeUndefined()
  })
})
