import type { Pod } from '@berth/types'
import { assertCorrect } from '../../measurement.ts'
import { measuredPodName, nodeName, racePod, storedNodes, type StoredEntry, storedPods } from '../race-cluster.ts'
import { DONGLE, DONGLES_PER_NODE } from './waiting-pods.ts'
import type { Workload, WorkloadSize } from './workload.ts'

const CROWD = 'crowd-'

/**
 * Returns pods that fit on every node, created after the scheduler has tried `crowd` pods that fit on none. The crowd waits for
 * dongles, which bound pods hold.
 */
export function unschedulableWorkload({ nodes, pods }: WorkloadSize, crowd: number): Workload {
  const allDongles = { [DONGLE]: `${DONGLES_PER_NODE}` }
  return {
    nodes,
    pods,
    description: `that fit, beside ${crowd} unschedulable pods`,
    *objects(): Generator<StoredEntry> {
      yield* storedNodes(nodes, () => allDongles)
      yield* storedPods(nodes, (i) => racePod(`holder-${i}`, { extended: allDongles }, { nodeName: nodeName(i) }))
      yield* storedPods(crowd, (i) => racePod(`${CROWD}${i}`, { extended: { [DONGLE]: '1' } }))
    },
    async release(race) {
      await race.until('the crowd to be unschedulable', () => countOf(race.pods.values(), isUnschedulable) === crowd)
      await race.untilIdle()
      await race.seed(storedPods(pods, (i) => racePod(measuredPodName(i))))
    },
    check: (all) => {
      const waiting = countOf(all, ({ metadata, spec }) => isCrowd(metadata.name) && spec.nodeName === undefined)
      assertCorrect(waiting === crowd, `${waiting} of ${crowd} pods that fit nowhere still wait`)
    },
  }
}

function isCrowd(name: string | undefined): boolean {
  return name?.startsWith(CROWD) ?? false
}

function isUnschedulable({ metadata, status }: Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return isCrowd(metadata.name) && condition?.status === 'False'
}

function countOf(pods: Iterable<Pod>, isCounted: (pod: Pod) => boolean): number {
  return Iterator.from(pods).filter(isCounted).toArray().length
}
