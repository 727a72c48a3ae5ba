import type { Candidates } from '@berth/types'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceStore } from '../../state/resources/resource-store.ts'
import { type ResourceDemand, isShort } from './demand.ts'

/** Bit that is set when a demand is above the node's whole capacity, so that no eviction can help. */
export const UNRESOLVABLE: number = 1 << 30
/** Demands per mask: one bit each, below {@link UNRESOLVABLE}. */
export const DEMANDS_PER_MASK = 30
const NONE_SHORT = -1
const FEW_CANDIDATES = 4

/**
 * Sets bit `k` of a candidate's mask when its node cannot meet `demands[k]`, and returns whether any bit is set.
 *
 * @param demands - At most {@link DEMANDS_PER_MASK}.
 * @param masks - One for each candidate, all 0.
 */
export function markShortages(
  store: ResourceStore,
  candidates: Candidates,
  demands: readonly ResourceDemand[],
  masks: Int32Array,
): boolean {
  let isAnyShort = false
  for (const [k, demand] of demands.entries()) {
    if (demand.id === undefined) {
      markAll(masks, candidates.count, (1 << k) | UNRESOLVABLE)
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
  { amount, canBeUnresolvable }: ResourceDemand,
  id: number,
  bit: number,
  masks: Int32Array,
): boolean {
  const unresolvableBits = bit | (canBeUnresolvable ? UNRESOLVABLE : 0)
  if (count <= FEW_CANDIDATES) return markFew(store, rows, count, amount, id, bit, unresolvableBits, masks)
  const columns = store.borrowColumns(id)
  const has = columns.allocatable
  const used = columns.requested
  const start =
    typeof amount === 'number'
      ? markNumbers(rows, count, has.values, used.values, amount, bit, unresolvableBits, masks)
      : 0
  for (let i = start === NONE_SHORT ? count : start; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has.get(row)
    if (!isShort(id, amount, total, used.get(row))) continue
    masks[i] = (masks[i] ?? 0) | (amount > total ? unresolvableBits : bit)
  }
  store.returnColumns(id, columns)
  return start !== NONE_SHORT
}

/** The loop for few candidates, for which borrowing columns is not worth it. */
function markFew(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  amount: Amount,
  id: number,
  bit: number,
  unresolvableBits: number,
  masks: Int32Array,
): boolean {
  let isAnyShort = false
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = store.allocatable(id, row)
    if (!isShort(id, amount, total, store.requested(id, row))) continue
    isAnyShort = true
    masks[i] = (masks[i] ?? 0) | (amount > total ? unresolvableBits : bit)
  }
  return isAnyShort
}

/**
 * The loop over doubles. Returns the candidate from which the exact loop must continue because an amount does not fit a
 * double; `count` when it is done; {@link NONE_SHORT} when it is done and no candidate is short. Takes plain arguments,
 * because a loop over object fields takes twice as long.
 */
function markNumbers(
  rows: Int32Array,
  count: number,
  has: Float64Array,
  used: Float64Array,
  amount: number,
  bit: number,
  unresolvableBits: number,
  masks: Int32Array,
): number {
  let isAnyShort = false
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total = has[row] ?? 0
    const free = total - (used[row] ?? 0)
    if (amount <= free) continue
    // NaN stands for an amount that does not fit a double.
    if (!(amount > free)) return i
    isAnyShort = true
    masks[i] = (masks[i] ?? 0) | (amount > total ? unresolvableBits : bit)
  }
  return isAnyShort ? count : NONE_SHORT
}
