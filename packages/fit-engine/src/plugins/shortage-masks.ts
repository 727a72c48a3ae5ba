import type { Candidates } from '@berth/types'
import type { Amount } from '../state/amount.ts'
import type { AmountColumn } from '../state/amount-column.ts'
import type { ResourceStore } from '../state/resource-store.ts'
import { type Demand, isShort } from './resource-demand.ts'

/** Set when some demand is above all that the node has. */
export const FINAL: number = 1 << 30
/** Demands per mask: one bit each, below FINAL. */
export const DEMANDS_PER_MASK = 30

/**
 * For each candidate a bit for every demand that the node cannot meet, bit `k` for `demands[k]`.
 *
 * @param demands - At most {@link DEMANDS_PER_MASK}.
 */
export function shortageMasks(store: ResourceStore, candidates: Candidates, demands: readonly Demand[]): Int32Array {
  const masks = new Int32Array(candidates.count)
  demands.forEach((demand, k) => {
    if (demand.id === undefined) markAll(masks, (1 << k) | FINAL)
    else mark(store, candidates, demand, demand.id, 1 << k, masks)
  })
  return masks
}

function markAll(masks: Int32Array, bits: number): void {
  for (let i = 0; i < masks.length; i++) masks[i] = (masks[i] ?? 0) | bits
}

/** Whether more is asked for than the node has in all. */
function isAbove(quick: number, has: number, amount: Amount, allocatable: AmountColumn, row: number): boolean {
  if (quick > has) return true
  return quick <= has ? false : amount > allocatable.get(row)
}

function mark(
  store: ResourceStore,
  { rows, count }: Candidates,
  { amount, canBeFinal }: Demand,
  id: number,
  bit: number,
  masks: Int32Array,
): void {
  // Against NaN, which stands for an amount beyond a double, this comparison is false.
  const quick = typeof amount === 'number' ? amount : Number.NaN
  store.withColumns(id, (allocatable, requested) => {
    const { values: has } = allocatable
    const { values: used } = requested
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      const left = (has[row] ?? 0) - (used[row] ?? 0)
      if (quick <= left) continue
      const isFinal = canBeFinal && isAbove(quick, has[row] ?? 0, amount, allocatable, row)
      if (quick > left || isShort(amount, allocatable.get(row), requested.get(row))) {
        masks[i] = (masks[i] ?? 0) | bit | (isFinal ? FINAL : 0)
      }
    }
  })
}
