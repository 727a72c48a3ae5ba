import type { Pod } from '@berth/types'
import type { Cycle } from './cycle.ts'

const nobody: ReadonlyMap<number, readonly Pod[]> = new Map()

/** Pods nominated for the node that the cycle's pod must leave room for. */
export function nominatedFor(cycle: Cycle, nodeName: string): readonly Pod[] {
  return cycle.table.nominations.podsOn(nodeName).filter((other) => reservesAgainst(cycle, other, cycle.pod))
}

/** Pods that the cycle's pod must leave room for, by the row for which they are nominated; rows without any are left out. */
export function reservations(cycle: Cycle): ReadonlyMap<number, readonly Pod[]> {
  const { table } = cycle
  if (table.nominations.isEmpty) return nobody
  const byRow = new Map<number, readonly Pod[]>()
  for (const nodeName of table.nominations.nodeNames()) {
    const row = table.rowOf(nodeName)
    if (row === undefined) continue
    const pods = nominatedFor(cycle, nodeName)
    if (pods.length > 0) byRow.set(row, pods)
  }
  return byRow
}

function reservesAgainst({ table }: Cycle, nominated: Pod, pod: Pod): boolean {
  const isOther = nominated !== pod && (nominated.metadata.uid ?? '') !== (pod.metadata.uid ?? '')
  return isOther && (nominated.spec.priority ?? 0) >= (pod.spec.priority ?? 0) && !table.isPlaced(nominated)
}
