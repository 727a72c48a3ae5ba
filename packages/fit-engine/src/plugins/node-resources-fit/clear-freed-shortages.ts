import type { Candidates } from '@berth/types'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { lowerPriorityUnits } from '../../state/lower-priority-units.ts'
import { PODS } from '../../state/resources/resource-names.ts'
import type { ResourceDemand } from './demand.ts'

/**
 * Clears the bits of the demands that the candidates' nodes could meet without their pods of lower priority. Clears the
 * whole mask where a double cannot hold the amounts.
 *
 * @param masks - By candidate, made by `markShortages` from the demands.
 */
export function clearFreedShortages(
  table: ClusterTable,
  priority: number,
  candidates: Candidates,
  demands: readonly ResourceDemand[],
  masks: Int32Array,
): void {
  let union = 0
  for (let i = 0; i < candidates.count; i++) union |= masks[i] ?? 0
  for (const [k, { id, amount }] of demands.entries()) {
    const bit = 1 << k
    if ((union & bit) === 0 || id === undefined) continue
    if (id !== PODS && !table.priorities.hasRequesterBelow(priority, id)) continue
    const lower = lowerPriorityUnits(table, priority, id, candidates)
    const columns = table.store.borrowColumns(id)
    clearBit(candidates, columns.free, lower, typeof amount === 'number' ? amount : Number.NaN, bit, masks)
    table.store.returnColumns(id, columns)
  }
}

function clearBit(
  { rows, count }: Candidates,
  free: Float64Array,
  lower: Float64Array,
  amount: number,
  bit: number,
  masks: Int32Array,
): void {
  for (let i = 0; i < count; i++) {
    const mask = masks[i] ?? 0
    if ((mask & bit) === 0) continue
    const row = rows[i] ?? 0
    const freed = (free[row] ?? 0) + (lower[row] ?? 0)
    if (amount <= freed) masks[i] = mask & ~bit
    // NaN stands for an amount that a double cannot hold.
    else if (!(amount > freed)) masks[i] = 0
  }
}
