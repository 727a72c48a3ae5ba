import type { Pod } from '@berth/types'
import { assertCorrect } from '../../measurement.ts'
import { measuredPodName, nodeName, racePod, storedNodes, type StoredEntry, storedPods } from '../race-cluster.ts'
import type { Workload, WorkloadSize } from './workload.ts'

/** Sizes of upstream's PreemptionAsync: each preemptor must evict three of the four victims of a node. */
const NODE = { cpu: '4', memory: '32Gi' }
const VICTIM = { cpu: '900m', memory: '500Mi' }
const PREEMPTOR = { cpu: '3', memory: '500Mi' }
const VICTIMS_PER_NODE = 4
const EVICTED_PER_PREEMPTOR = 3
const HIGH_PRIORITY = 1_000

/**
 * Returns pods that fit only after a preemption, on nodes that are full of pods with a lower priority. There must be at least
 * as many nodes as pods.
 */
export function preemptionWorkload({ nodes, pods }: WorkloadSize): Workload {
  const victims = nodes * VICTIMS_PER_NODE
  return {
    nodes,
    pods,
    description: 'that must each evict three pods',
    *objects(): Generator<StoredEntry> {
      yield* storedNodes(nodes, () => NODE)
      yield* storedPods(victims, (i) => victim(i, nodeName(i % nodes)))
      yield* storedPods(pods, (i) => racePod(measuredPodName(i), PREEMPTOR, { priority: HIGH_PRIORITY }))
    },
    check: (remaining) => {
      const evicted = victims - (remaining.length - pods)
      const needed = pods * EVICTED_PER_PREEMPTOR
      assertCorrect(evicted >= needed, `${evicted} pods were evicted; the placed pods need the room of ${needed}`)
    },
  }
}

/**
 * Returns a bound pod with a low priority. There is no kubelet, which would confirm its end, so its grace period is 0: the API
 * server then removes it with the DELETE itself.
 */
function victim(i: number, node: string): Pod {
  return racePod(`victim-${i}`, VICTIM, { nodeName: node, priority: 0, terminationGracePeriodSeconds: 0 })
}
