import type { Pod } from '@berth/types'
import { assertCorrect } from '../../measurement.ts'
import { measuredPodName, nodeName, racePod, storedNodes, type StoredEntry, storedPods } from '../race-cluster.ts'
import { DONGLE, DONGLES_PER_NODE } from './waiting-pods.ts'
import type { Workload, WorkloadSize } from './workload.ts'

const PREFIX = 'unschedulable-'

/**
 * Returns pods that fit on every node, created after the scheduler has tried `unfit` pods that fit on none. Those request
 * dongles, which bound pods hold. The scheduler need not be idle: kube-scheduler tries them again every five minutes, and
 * beside 10,000 it never is.
 */
export function unschedulableWorkload({ nodes, pods }: WorkloadSize, unfit: number): Workload {
  const allDongles = { [DONGLE]: `${DONGLES_PER_NODE}` }
  return {
    nodes,
    pods,
    description: `that fit, beside ${unfit} unschedulable pods`,
    *objects(): Generator<StoredEntry> {
      yield* storedNodes(nodes, () => allDongles)
      yield* storedPods(nodes, (i) => racePod(`holder-${i}`, { extended: allDongles }, { nodeName: nodeName(i) }))
      yield* storedPods(unfit, (i) => racePod(`${PREFIX}${i}`, { extended: { [DONGLE]: '1' } }))
    },
    async release(race) {
      await race.until(
        `${unfit} pods to be unschedulable`,
        () => countOf(race.pods.values(), isUnschedulable) === unfit,
      )
      await race.seed(storedPods(pods, (i) => racePod(measuredPodName(i))))
    },
    check: (all) => {
      const waiting = countOf(all, ({ metadata, spec }) => isUnfit(metadata.name) && spec.nodeName === undefined)
      assertCorrect(waiting === unfit, `${waiting} of ${unfit} pods that fit nowhere still wait`)
    },
  }
}

function isUnfit(name: string | undefined): boolean {
  return name?.startsWith(PREFIX) ?? false
}

function isUnschedulable({ metadata, status }: Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return isUnfit(metadata.name) && condition?.status === 'False'
}

function countOf(pods: Iterable<Pod>, isCounted: (pod: Pod) => boolean): number {
  return Iterator.from(pods).filter(isCounted).toArray().length
}
