import type { Candidates } from '@berth/types'
import type { ResourceStore } from '../state/resource-store.ts'
import { type Demand, isShort } from './resource-demand.ts'

/** Set when some demand is above all that the node has. */
export const FINAL: number = 1 << 30
/** Demands per mask: one bit each, below FINAL. */
export const DEMANDS_PER_MASK = 30

/**
 * Sets for each candidate a bit for every demand that the node cannot meet, bit `k` for `demands[k]`.
 *
 * @param demands - At most {@link DEMANDS_PER_MASK}.
 * @param masks - All 0, one for each candidate.
 */
export function markShortages(
  store: ResourceStore,
  candidates: Candidates,
  demands: readonly Demand[],
  masks: Int32Array,
): void {
  demands.forEach((demand, k) => {
    if (demand.id === undefined) markAll(masks, candidates.count, (1 << k) | FINAL)
    else mark(store, candidates, demand, demand.id, 1 << k, masks)
  })
}

function markAll(masks: Int32Array, count: number, bits: number): void {
  for (let i = 0; i < count; i++) masks[i] = (masks[i] ?? 0) | bits
}

function mark(
  store: ResourceStore,
  { rows, count }: Candidates,
  { amount, canBeFinal }: Demand,
  id: number,
  bit: number,
  masks: Int32Array,
): void {
  const finalBits = bit | (canBeFinal ? FINAL : 0)
  store.withColumns(id, (allocatable, requested) => {
    const isExact =
      typeof amount === 'number' &&
      markNumbers(rows, count, allocatable.values, requested.values, { amount, bit, finalBits }, masks)
    if (isExact) return
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? 0
      const total = allocatable.get(row)
      if (!isShort(amount, total, requested.get(row))) continue
      masks[i] = (masks[i] ?? 0) | (amount > total ? finalBits : bit)
    }
  })
}

/** The loop over doubles; false when some amount is beyond a double, so that the exact loop has to run too. */
function markNumbers(
  rows: Int32Array,
  count: number,
  has: Float64Array,
  used: Float64Array,
  { amount, bit, finalBits }: { readonly amount: number; readonly bit: number; readonly finalBits: number },
  masks: Int32Array,
): boolean {
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has[row] ?? 0
    const left = total - (used[row] ?? 0)
    if (amount <= left) continue
    // NaN stands for an amount beyond a double.
    if (!(amount > left)) return false
    masks[i] = (masks[i] ?? 0) | (amount > total ? finalBits : bit)
  }
  return true
}
