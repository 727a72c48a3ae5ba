import { fakeClock } from '@berth/clock/testing'
import type { ClusterChange } from '@berth/cluster-view'
import type { Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { prioritySort, type QueuedPodInfo } from './queued-pod.ts'
import { createSchedulingQueue, defaultBackoff } from './scheduling-queue.ts'

const names = ['a', 'b', 'c', 'd', 'e'] as const
const step = fc.record({
  kind: fc.constantFrom('add', 'gate', 'update', 'remove', 'pop', 'park', 'retry', 'done', 'observe', 'wait'),
  name: fc.constantFrom(...names),
  priority: fc.integer({ min: 0, max: 3 }),
  waitMs: fc.integer({ min: 0, max: 20_000 }),
})
const change: ClusterChange = { kind: 'node-deleted', node: { metadata: { name: 'n' } } }

function podOf(name: string, priority: number, isGated: boolean): Pod {
  const schedulingGates = isGated ? [{ name: 'gate' }] : []
  return { metadata: { name, uid: name }, spec: { containers: [], priority, schedulingGates } }
}

test('holds every pod in exactly one place at all times, and loses none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = fakeClock({ turns: 0 })
      const queue = createSchedulingQueue({
        clock,
        compare: prioritySort,
        isHelpedBy: () => true,
        backoff: defaultBackoff,
      })
      const known = new Set<string>()
      const flying = new Map<string, QueuedPodInfo>()
      for (const { kind, name, priority, waitMs } of steps) {
        const info = flying.get(name)
        if (kind === 'add' || kind === 'gate') {
          queue.add(podOf(name, priority, kind === 'gate'))
          known.add(name)
        } else if (kind === 'update') queue.update(podOf(name, priority, false), true)
        else if (kind === 'remove') {
          queue.remove(podOf(name, 0, false))
          known.delete(name)
          flying.delete(name)
        } else if (kind === 'pop') {
          const next = queue.pop()
          if (next !== undefined) flying.set(next.key, next)
        } else if (kind === 'observe') queue.onClusterChange(change)
        else if (kind === 'wait') await clock.advance(waitMs)
        else if (info !== undefined) {
          flying.delete(name)
          if (kind === 'park') queue.addUnschedulable(info, new Set(['Plugin']))
          else if (kind === 'retry') queue.retryAfterBackoff(info)
          else {
            queue.done(info.key)
            known.delete(name)
          }
        }
        const { active, backoff, unschedulable, gated, inFlight } = queue.counts()
        expect(inFlight).toBe(flying.size)
        expect(active + backoff + unschedulable + gated + inFlight).toBe(known.size)
      }
      // Every remaining pod can be popped once gates are removed, the cluster changes and time passes.
      for (const info of flying.values()) queue.retryAfterBackoff(info)
      for (const name of known) queue.update(podOf(name, 0, false), true)
      queue.onClusterChange(change)
      await clock.advance(60_000)
      const left: string[] = []
      for (let info = queue.pop(); info !== undefined; info = queue.pop()) left.push(info.key)
      expect(left.toSorted()).toEqual([...known].toSorted())
      queue[Symbol.dispose]()
      expect(clock.pendingTimers()).toBe(0)
    }),
    { numRuns: 150 },
  )
})
