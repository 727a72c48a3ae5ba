import type { Candidates } from '@berth/types'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceColumns, ResourceStore } from '../../state/resources/resource-store.ts'
import { type Demand, isShort } from './demand.ts'
import { shortagesOf } from './shortages.ts'

/** For so few candidates columns are not worth borrowing. */
const FEW = 4

/**
 * Says how many candidates meet every demand and writes their rows into the first places of `target`, which may be
 * the array of the candidates; when all do, `target` need not be written.
 *
 * @param live - All rows that have a node: what is known of all of them need not be asked of each.
 */
export function keepRoomy(
  store: ResourceStore,
  candidates: Candidates,
  demands: readonly Demand[],
  live: Int32Array,
  target: Int32Array,
): number {
  if (demands.some(({ deviceClass }) => deviceClass !== undefined)) return keepEach(store, candidates, demands, target)
  let { rows, count } = candidates
  // Not for-of, which the hot loop would be inlined into, at half of its speed.
  for (let k = 0; k < demands.length && count > 0; k++) {
    const { id, amount = 0 } = demands[k] ?? {}
    if (id === undefined) return 0
    // The bound is a double: what is beyond one is compared row by row.
    if (count > FEW && typeof amount === 'number' && amount <= store.leastFree(id, live)) continue
    const kept = keepOne(store, rows, count, id, amount, target)
    if (kept < count) rows = target
    count = kept
  }
  return count
}

function keepEach(
  store: ResourceStore,
  { rows, count }: Candidates,
  demands: readonly Demand[],
  target: Int32Array,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (shortagesOf(demands, row, store).length === 0) target[kept++] = row
  }
  return kept
}

function keepOne(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  if (count <= FEW) return keepOfFew(store, rows, count, id, amount, target)
  const columns = store.borrowColumns(id)
  const isExact = typeof amount === 'number' && columns.allocatable.isExact && columns.requested.isExact
  const kept = isExact
    ? keepNumbers(rows, count, columns.free, amount, target)
    : keepAmounts(rows, count, columns, id, amount, target)
  store.returnColumns(id, columns)
  return kept
}

function keepOfFew(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (!isShort(id, amount, store.allocatable(id, row), store.requested(id, row))) target[kept++] = row
  }
  return kept
}

function keepAmounts(
  rows: Int32Array,
  count: number,
  { allocatable, requested }: ResourceColumns,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (!isShort(id, amount, allocatable.get(row), requested.get(row))) target[kept++] = row
  }
  return kept
}

/** Plain arguments, one resource at a time: a loop over fields, or over several resources at once, is slower. */
function keepNumbers(rows: Int32Array, count: number, left: Float64Array, amount: number, target: Int32Array): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (amount <= (left[row] ?? 0)) target[kept++] = row
  }
  return kept
}
