import { resourceRefs } from '@berth/k8s-client'
import { forEachConcurrently } from '@berth/clock'
import { measuredPodName, NAMESPACE, racePod, storedPods, type StoredEntry } from '../race-cluster.ts'
import { sharedWorkload } from './waiting-pods.ts'
import { untilWarm, warmUpPods } from './warm-up.ts'
import type { Workload, WorkloadSize } from './workload.ts'

const IN_FLIGHT = 32
const schedulingGates = [{ name: 'example.com/wait' }]

/** Returns pods with a scheduling gate, which a client removes while the scheduler runs. */
export function gatedWorkload({ nodes, pods }: WorkloadSize): Workload {
  return {
    nodes,
    pods,
    description: 'whose scheduling gates a client removes',
    *objects(): Generator<StoredEntry> {
      yield* sharedWorkload({ nodes, pods: 0 }).objects()
      yield* warmUpPods()
      yield* storedPods(pods, (i) => racePod(measuredPodName(i), {}, { schedulingGates }))
    },
    isTimedFromRelease: true,
    async release(race) {
      await untilWarm(race)
      race.start()
      await forEachConcurrently(Array(pods).keys(), IN_FLIGHT, async (i) => {
        const target = { namespace: NAMESPACE, name: measuredPodName(i) }
        await race.client.patch(resourceRefs.pods, target, { spec: { schedulingGates: null } }, { type: 'merge' })
      })
    },
  }
}
