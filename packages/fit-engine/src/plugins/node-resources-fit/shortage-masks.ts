import type { Candidates } from '@berth/types'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { type Demand, isShort } from './demand.ts'

/** Set when some demand is above all that the node has. */
export const FINAL: number = 1 << 30
/** Demands per mask: one bit each, below FINAL. */
export const DEMANDS_PER_MASK = 30
const ALL_MET = -1
const FEW = 4

/**
 * Sets for each candidate a bit for every demand that the node cannot meet, bit `k` for `demands[k]`, and says whether
 * any is set.
 *
 * @param demands - At most {@link DEMANDS_PER_MASK}.
 * @param masks - All 0, one for each candidate.
 */
export function markShortages(
  store: ResourceStore,
  candidates: Candidates,
  demands: readonly Demand[],
  masks: Int32Array,
): boolean {
  let isAnyShort = false
  for (const [k, demand] of demands.entries()) {
    if (demand.id === undefined) {
      markAll(masks, candidates.count, (1 << k) | FINAL)
      isAnyShort = true
    } else if (mark(store, candidates, demand, demand.id, 1 << k, masks)) isAnyShort = true
  }
  return isAnyShort
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
): boolean {
  const finalBits = bit | (canBeFinal ? FINAL : 0)
  if (count <= FEW) return markFew(store, rows, count, amount, id, bit, finalBits, masks)
  const columns = store.borrowColumns(id)
  const has = columns.allocatable
  const used = columns.requested
  const start =
    typeof amount === 'number' ? markNumbers(rows, count, has.values, used.values, amount, bit, finalBits, masks) : 0
  for (let i = start === ALL_MET ? count : start; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has.get(row)
    if (!isShort(id, amount, total, used.get(row))) continue
    masks[i] = (masks[i] ?? 0) | (amount > total ? finalBits : bit)
  }
  store.returnColumns(id, columns)
  return start !== ALL_MET
}

/** For so few candidates that columns are not worth borrowing. */
function markFew(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  amount: Amount,
  id: number,
  bit: number,
  finalBits: number,
  masks: Int32Array,
): boolean {
  let isAnyShort = false
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = store.allocatable(id, row)
    if (!isShort(id, amount, total, store.requested(id, row))) continue
    isAnyShort = true
    masks[i] = (masks[i] ?? 0) | (amount > total ? finalBits : bit)
  }
  return isAnyShort
}

/**
 * The loop over doubles. Answers from which candidate on the exact loop has to go on, because some amount is beyond a
 * double; `count` where nothing is left to do, {@link ALL_MET} where besides nobody is short. Plain arguments: a loop
 * over fields of objects is half as fast.
 */
function markNumbers(
  rows: Int32Array,
  count: number,
  has: Float64Array,
  used: Float64Array,
  amount: number,
  bit: number,
  finalBits: number,
  masks: Int32Array,
): number {
  let isAnyShort = false
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has[row] ?? 0
    const left = total - (used[row] ?? 0)
    if (amount <= left) continue
    // NaN stands for an amount beyond a double.
    if (!(amount > left)) return i
    isAnyShort = true
    masks[i] = (masks[i] ?? 0) | (amount > total ? finalBits : bit)
  }
  return isAnyShort ? count : ALL_MET
}
