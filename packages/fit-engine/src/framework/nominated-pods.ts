import type { Pod } from '@berth/types'
import type { Cycle } from './cycle.ts'

const noPods: ReadonlyMap<number, readonly Pod[]> = new Map()

/** Returns the pods nominated for the node whose room the cycle's pod must respect. */
export function nominatedPodsFor(cycle: Cycle, nodeName: string): readonly Pod[] {
  return cycle.table.nominations.podsOn(nodeName).filter((other) => hasPrecedence(cycle, other, cycle.pod))
}

/** Returns the nominated pods whose room the cycle's pod must respect, by row. Rows without such pods are absent. */
export function nominatedPodsByRow(cycle: Cycle): ReadonlyMap<number, readonly Pod[]> {
  const { table } = cycle
  if (table.nominations.isEmpty) return noPods
  const byRow = new Map<number, readonly Pod[]>()
  for (const nodeName of table.nominations.nodeNames()) {
    const row = table.rowOf(nodeName)
    if (row === undefined) continue
    const pods = nominatedPodsFor(cycle, nodeName)
    if (pods.length > 0) byRow.set(row, pods)
  }
  return byRow
}

function hasPrecedence({ table }: Cycle, nominated: Pod, pod: Pod): boolean {
  const isOther = nominated !== pod && (nominated.metadata.uid ?? '') !== (pod.metadata.uid ?? '')
  return isOther && (nominated.spec.priority ?? 0) >= (pod.spec.priority ?? 0) && !table.isPlaced(nominated)
}
