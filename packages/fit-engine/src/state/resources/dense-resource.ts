import { type Amount, subtractAmounts } from './amount.ts'
import { AmountColumn } from './amount-column.ts'
import { RowSet } from './row-set.ts'

/** Returns the smallest value among the rows, or -Infinity when one of them is NaN. */
function smallestOf(values: Float64Array, rows: Int32Array, count: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const value = values[rows[i] ?? 0] ?? 0
    if (value >= least) continue
    if (Number.isNaN(value)) return Number.NEGATIVE_INFINITY
    least = value
  }
  return least
}

/** The amounts of a resource that many nodes offer, with one cell per row. */
export class DenseResource {
  allocatable: AmountColumn
  requested: AmountColumn
  /** Allocatable minus requested. NaN when a double cannot hold one of the two; the difference itself may be rounded. */
  free: Float64Array
  /** The rows with a free amount above 0. */
  rowsWithFree: RowSet
  /** Number of rows with an amount other than 0. */
  usedRowCount = 0
  /** Lower bound of `free` among `#leastFreeRows`; undefined when it is unknown. */
  #leastFree: number | undefined
  /** Whether the smallest amount may be higher than the bound. */
  #mayBeHigher = false
  #leastFreeRows: Int32Array | undefined

  constructor(capacity: number) {
    this.allocatable = new AmountColumn(capacity)
    this.requested = new AmountColumn(capacity)
    this.free = new Float64Array(capacity)
    this.rowsWithFree = new RowSet(capacity)
  }

  set(row: number, allocatable: Amount, requested: Amount): void {
    const wasUsed = this.#isUsed(row)
    this.allocatable.set(row, allocatable)
    this.requested.set(row, requested)
    const before = this.free[row] ?? 0
    const after = (this.allocatable.values[row] ?? 0) - (this.requested.values[row] ?? 0)
    this.free[row] = after
    this.#updateLeastFree(before, after)
    this.usedRowCount += Number(this.#isUsed(row)) - Number(wasUsed)
    this.rowsWithFree.set(row, Number.isNaN(after) ? subtractAmounts(allocatable, requested) > 0 : after > 0)
  }

  /**
   * Returns a lower bound of the free amounts on the rows, or -Infinity when a double cannot hold one of them. The bound
   * is kept up to date for as long as calls pass the same array of rows. The rows are searched again only if the bound is
   * below `enough` and may be too low.
   */
  leastFree(rows: Int32Array, enough: number): number {
    const least = this.#leastFreeRows === rows ? this.#leastFree : undefined
    if (least !== undefined && (least >= enough || !this.#mayBeHigher)) return least
    this.#leastFreeRows = rows
    this.#mayBeHigher = false
    this.#leastFree = smallestOf(this.free, rows, rows.length)
    return this.#leastFree
  }

  /** Updates the lower bound after the free amount of one row changed. */
  #updateLeastFree(before: number, after: number): void {
    const least = this.#leastFree
    if (least === undefined || before === after) return
    if (Number.isNaN(after)) {
      this.#leastFree = undefined
    } else if (after < least) {
      this.#leastFree = after
      this.#mayBeHigher = false
    } else if (!(before > least)) {
      // This row may have been the only one with the smallest amount.
      this.#mayBeHigher = true
    }
  }

  #isUsed(row: number): boolean {
    return this.allocatable.values[row] !== 0 || this.requested.values[row] !== 0
  }

  grow(capacity: number): void {
    this.allocatable.grow(capacity)
    this.requested.grow(capacity)
    const left = new Float64Array(capacity)
    left.set(this.free)
    this.free = left
    this.rowsWithFree.grow(capacity)
  }

  copy(): DenseResource {
    const copy = new DenseResource(0)
    copy.allocatable = this.allocatable.copy()
    copy.requested = this.requested.copy()
    copy.free = this.free.slice()
    copy.rowsWithFree = this.rowsWithFree.copy()
    copy.usedRowCount = this.usedRowCount
    return copy
  }
}
