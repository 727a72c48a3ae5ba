import type { Candidates } from '@berth/types'
import type { Amount } from '../../state/resources/amount.ts'
import type { ResourceColumns, ResourceStore } from '../../state/resources/resource-store.ts'
import { type ResourceDemand, isShort } from './demand.ts'
import { shortagesOf } from './shortages.ts'

/** Up to this number of candidates, reading amounts one by one is faster than borrowing columns. */
const FEW_CANDIDATES = 4

/**
 * Filters the candidates by their free units: writes the rows that meet every demand to the start of `target`, which
 * may be the array of the candidates, and returns their number. When all pass it does not write.
 *
 * @param live - All rows that have a node. If the node with the fewest free units has enough, no row is compared.
 */
export function filterByFreeUnits(
  store: ResourceStore,
  candidates: Candidates,
  demands: readonly ResourceDemand[],
  live: Int32Array,
  target: Int32Array,
): number {
  if (demands.some(({ deviceClass }) => deviceClass !== undefined))
    return filterByShortages(store, candidates, demands, target)
  let { rows, count } = candidates
  // Not for-of: the engine would inline the hot loop into it, at half the speed.
  for (let k = 0; k < demands.length && count > 0; k++) {
    const { id, amount = 0 } = demands[k] ?? {}
    if (id === undefined) return 0
    // The bound is a double, so amounts that do not fit one are compared row by row.
    if (count > FEW_CANDIDATES && typeof amount === 'number' && amount <= store.leastFree(id, live, amount)) continue
    const passed = filterByResource(store, rows, count, id, amount, target)
    if (passed < count) rows = target
    count = passed
  }
  return count
}

function filterByShortages(
  store: ResourceStore,
  { rows, count }: Candidates,
  demands: readonly ResourceDemand[],
  target: Int32Array,
): number {
  let passed = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (shortagesOf(demands, row, store).length === 0) target[passed++] = row
  }
  return passed
}

function filterByResource(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  if (count <= FEW_CANDIDATES) return filterFew(store, rows, count, id, amount, target)
  const columns = store.borrowColumns(id)
  const isExact = typeof amount === 'number' && columns.allocatable.isExact && columns.requested.isExact
  const passed = isExact
    ? filterNumbers(rows, count, columns.free, amount, target)
    : filterExact(rows, count, columns, id, amount, target)
  store.returnColumns(id, columns)
  return passed
}

function filterFew(
  store: ResourceStore,
  rows: Int32Array,
  count: number,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  let passed = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (!isShort(id, amount, store.allocatable(id, row), store.requested(id, row))) target[passed++] = row
  }
  return passed
}

function filterExact(
  rows: Int32Array,
  count: number,
  { allocatable, requested }: ResourceColumns,
  id: number,
  amount: Amount,
  target: Int32Array,
): number {
  let passed = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (!isShort(id, amount, allocatable.get(row), requested.get(row))) target[passed++] = row
  }
  return passed
}

/** Takes plain arguments and one resource: a loop over object fields, or over several resources at once, is slower. */
function filterNumbers(
  rows: Int32Array,
  count: number,
  free: Float64Array,
  amount: number,
  target: Int32Array,
): number {
  let passed = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (amount <= (free[row] ?? 0)) target[passed++] = row
  }
  return passed
}
