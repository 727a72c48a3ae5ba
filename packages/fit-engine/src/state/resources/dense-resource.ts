import { type Amount, subtractAmounts } from './amount.ts'
import { AmountColumn } from './amount-column.ts'
import { RowSet } from './row-set.ts'

/** The least value of the rows; -Infinity where one of them is NaN. */
function leastOf(values: Float64Array, rows: Int32Array, count: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < count; i++) {
    const value = values[rows[i] ?? 0] ?? 0
    if (value >= least) continue
    if (Number.isNaN(value)) return Number.NEGATIVE_INFINITY
    least = value
  }
  return least
}

/** A resource that many nodes offer: one cell a row. */
export class DenseResource {
  allocatable: AmountColumn
  requested: AmountColumn
  /** Allocatable less requested; NaN where one of them is beyond a double. A difference beyond it may be rounded. */
  free: Float64Array
  /** Rows on which something is left. */
  rowsWithFree: RowSet
  /** Rows that offer or hold anything. */
  usedRows = 0
  /** Nowhere among `#boundRows` is less left than that; undefined: not known. */
  #leastLeft: number | undefined
  #boundRows: Int32Array | undefined

  constructor(capacity: number) {
    this.allocatable = new AmountColumn(capacity)
    this.requested = new AmountColumn(capacity)
    this.free = new Float64Array(capacity)
    this.rowsWithFree = new RowSet(capacity)
  }

  set(row: number, allocatable: Amount, requested: Amount): void {
    const was = this.#isUsed(row)
    this.allocatable.set(row, allocatable)
    this.requested.set(row, requested)
    const before = this.free[row] ?? 0
    const after = (this.allocatable.values[row] ?? 0) - (this.requested.values[row] ?? 0)
    this.free[row] = after
    this.#moveBound(before, after)
    this.usedRows += Number(this.#isUsed(row)) - Number(was)
    this.rowsWithFree.put(row, Number.isNaN(after) ? subtractAmounts(allocatable, requested) > 0 : after > 0)
  }

  /**
   * A lower bound of what is left on the rows, mostly the least itself; -Infinity where amounts are beyond a double.
   * Kept up to date as long as the same array of rows is asked about.
   */
  leastFree(rows: Int32Array): number {
    if (this.#leastLeft !== undefined && this.#boundRows === rows) return this.#leastLeft
    this.#boundRows = rows
    this.#leastLeft = leastOf(this.free, rows, rows.length)
    return this.#leastLeft
  }

  /** One row has another amount left. Who alone had the least may have more now: then it has to be sought again. */
  #moveBound(before: number, after: number): void {
    const least = this.#leastLeft
    if (least === undefined || before === after) return
    if (after < least) this.#leastLeft = after
    else if (Number.isNaN(after) || !(before > least || after < before)) this.#leastLeft = undefined
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
    copy.usedRows = this.usedRows
    return copy
  }
}
