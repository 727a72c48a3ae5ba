import { fakeClock } from '@berth/clock/testing'
import type { Pod, PodGroup } from '@berth/types'
import { expect, test } from 'vitest'
import { createWaitingPods } from '../permit/waiting-pods.ts'
import { createGangBarriers } from './gang-barrier.ts'

const member = (name: string, nodeName = ''): Pod => ({
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], nodeName },
})
const groupOf = (name: string): PodGroup => ({
  ref: { api: 'scheduling.k8s.io', namespace: 'default', name },
  version: 'v1alpha2',
  metadata: { name, namespace: 'default' },
  minCount: 1,
  minResources: {},
  timeoutMs: 300_000,
  unsupported: [],
  conditions: [],
})
const observer = { onComplete: () => {}, onRejected: () => {} }

test('forgets the groups whose members are bound or gone, and keeps those whose members are being bound', async () => {
  const clock = fakeClock()
  const pods = new Map<string, Pod>()
  const barriers = createGangBarriers({
    waitingPods: createWaitingPods(clock),
    unboundPods: { preempt: () => false },
    directory: { members: ({ name }) => new Map([...pods].filter(([uid]) => uid.startsWith(name))) },
    clock,
  })
  const bindFirst = async (name: string): Promise<void> => {
    const pod = member(`${name}-0`)
    pods.set(`${name}-0`, pod)
    const barrier = barriers.join(groupOf(name), [pod], observer)
    expect(await barrier.arrive(pod, 'node-a')).toEqual({ kind: 'passed' })
  }
  for (const name of ['bound', 'deleted', 'binding']) await bindFirst(name)
  pods.set('bound-0', member('bound-0', 'node-a'))
  pods.delete('deleted-0')
  await bindFirst('next')
  expect(barriers.size).toBe(2)
  expect(clock.pendingTimers()).toBe(0)
})
