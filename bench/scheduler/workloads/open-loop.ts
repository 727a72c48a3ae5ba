import { resourceRefs } from '@berth/k8s-client'
import { setTimeout as pause } from 'node:timers/promises'
import { measuredPodName, racePod, type StoredEntry } from '../race-cluster.ts'
import { arrivalsMs } from './arrivals.ts'
import { sharedWorkload } from './waiting-pods.ts'
import { untilWarm, warmUpPods } from './warm-up.ts'
import type { Workload, WorkloadSize } from './workload.ts'

/** Shorter waits are skipped: a timer is not more precise. */
const MIN_WAIT_MS = 1

/**
 * Returns pods that a client creates at random times, on average `perSecond` per second, whether or not earlier ones are
 * bound. A pod counts as created at the time at which its request was due.
 */
export function openLoopWorkload({ nodes, pods }: WorkloadSize, perSecond: number): Workload {
  return {
    nodes,
    pods,
    description: `created at ${perSecond} per second`,
    *objects(): Generator<StoredEntry> {
      yield* sharedWorkload({ nodes, pods: 0 }).objects()
      yield* warmUpPods()
    },
    async release(race) {
      await untilWarm(race)
      const startMs = performance.now()
      const creations: Promise<unknown>[] = []
      for (const [i, offsetMs] of arrivalsMs(pods, perSecond).entries()) {
        const dueMs = startMs + offsetMs
        const waitMs = dueMs - performance.now()
        if (waitMs >= MIN_WAIT_MS) await pause(waitMs)
        const name = measuredPodName(i)
        race.setCreated(name, dueMs)
        creations.push(race.client.create(resourceRefs.pods, racePod(name)))
      }
      await Promise.all(creations)
    },
  }
}
