import { type Amount, addAmounts, subtractAmounts } from './amount.ts'
import type { AmountColumn } from './amount-column.ts'
import { DenseResource } from './dense-resource.ts'
import { Postings } from './postings.ts'
import { FIRST_SCALAR, ResourceNames } from './resource-names.ts'

/** A resource on fewer rows than this always stays in a posting list. */
const MIN_DENSE = 64
/** A resource moves to columns when more than one row in 16 has it, and back below one in 32. */
const DENSE_SHIFT = 4

/** The amounts of one resource by row. */
export interface ResourceColumns {
  readonly allocatable: AmountColumn
  readonly requested: AmountColumn
  /** See {@link DenseResource.free}. */
  readonly free: Float64Array
}

/**
 * The allocatable and requested amount of every resource on every row. Resources that many nodes offer are stored in
 * columns, rare ones in posting lists. The form of a resource does not affect any result.
 */
export class ResourceStore {
  names: ResourceNames = new ResourceNames()
  #capacity: number
  #rowCount = 0
  #dense: (DenseResource | undefined)[]
  #postings = new Postings()
  /** Columns that lend rare resources to a loop over rows; all 0 between uses. */
  #spareColumns: DenseResource[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#dense = Array.from({ length: FIRST_SCALAR }, () => new DenseResource(capacity))
  }

  allocatable(id: number, row: number): Amount {
    return this.#dense[id]?.allocatable.get(row) ?? this.#postings.allocatable(id, row)
  }

  requested(id: number, row: number): Amount {
    return this.#dense[id]?.requested.get(row) ?? this.#postings.requested(id, row)
  }

  /** Sets the allocatable amount of the row. An amount other than 0 holds a reference to the name. */
  setAllocatable(name: string, row: number, amount: Amount): void {
    const id = this.names.acquire(name)
    const old = this.allocatable(id, row)
    this.#set(id, row, amount, this.requested(id, row))
    if (old !== 0) this.names.release(id)
    if (amount === 0) this.names.release(id)
  }

  /** Adds the amount to what is requested on the row, or subtracts it. */
  changeRequested(id: number, row: number, amount: Amount, sign: 1 | -1): void {
    if (amount === 0) return
    const requested = this.requested(id, row)
    const changed = sign === 1 ? addAmounts(requested, amount) : subtractAmounts(requested, amount)
    this.#set(id, row, this.allocatable(id, row), changed)
  }

  /** Returns the resource as columns over all rows. Call {@link ResourceStore.returnColumns} before the next change. */
  borrowColumns(id: number): ResourceColumns {
    const dense = this.#dense[id]
    if (dense !== undefined) return dense
    const columns = this.#spareColumns.pop() ?? new DenseResource(this.#capacity)
    this.#postings.forEach(id, (row, allocatable, requested) => columns.set(row, allocatable, requested))
    return columns
  }

  /** Returns columns that {@link ResourceStore.borrowColumns} lent. */
  returnColumns(id: number, columns: ResourceColumns): void {
    if (!(columns instanceof DenseResource) || this.#dense[id] !== undefined) return
    this.#postings.forEach(id, (row) => columns.set(row, 0, 0))
    this.#spareColumns.push(columns)
  }

  /** Returns a lower bound of the free amounts on the rows, see {@link DenseResource.leastFree}. */
  leastFree(id: number, rows: Int32Array, enough: number): number {
    // Some of the rows do not have a rare resource at all.
    return this.#dense[id]?.leastFree(rows, enough) ?? Number.NEGATIVE_INFINITY
  }

  /** Returns an upper bound of the number of rows that {@link ResourceStore.writeRowsWithFree} writes. */
  maxRowsWithFree(id: number): number {
    return this.#dense[id]?.usedRowCount ?? this.#postings.count(id)
  }

  /** Writes the rows with a free amount above 0 into `target`, ascending. Returns their number. */
  writeRowsWithFree(id: number, target: Int32Array): number {
    const dense = this.#dense[id]
    if (dense !== undefined) return dense.rowsWithFree.writeTo(target)
    let count = 0
    this.#postings.forEach(id, (row, allocatable, requested) => {
      if (subtractAmounts(allocatable, requested) > 0) target[count++] = row
    })
    if (count > 1) target.subarray(0, count).sort()
    return count
  }

  grow(capacity: number): void {
    this.#capacity = capacity
    this.#spareColumns = []
    for (const dense of this.#dense) dense?.grow(capacity)
  }

  /** Sets the number of rows. Moves resources that are now too rare for columns to posting lists. */
  setRowCount(rowCount: number): void {
    const isLarger = rowCount > this.#rowCount
    this.#rowCount = rowCount
    if (!isLarger || (rowCount & (rowCount - 1)) !== 0) return
    for (let id = FIRST_SCALAR; id < this.#dense.length; id++) this.#chooseForm(id)
  }

  copy(): ResourceStore {
    const copy = new ResourceStore(0)
    copy.names = this.names.copy()
    copy.#capacity = this.#capacity
    copy.#rowCount = this.#rowCount
    copy.#dense = this.#dense.map((dense) => dense?.copy())
    copy.#postings = this.#postings.copy()
    return copy
  }

  #set(id: number, row: number, allocatable: Amount, requested: Amount): void {
    const dense = this.#dense[id]
    if (dense === undefined) this.#postings.set(id, row, allocatable, requested)
    else dense.set(row, allocatable, requested)
    if (id >= FIRST_SCALAR) this.#chooseForm(id)
  }

  #chooseForm(id: number): void {
    const threshold = Math.max(MIN_DENSE, this.#rowCount >>> DENSE_SHIFT)
    const dense = this.#dense[id]
    if (dense === undefined) {
      if (this.#postings.count(id) > threshold) this.#moveToColumns(id)
    } else if (dense.usedRowCount < threshold / 2) this.#moveToPostings(id, dense)
  }

  #moveToColumns(id: number): void {
    const dense = new DenseResource(this.#capacity)
    this.#postings.forEach(id, (row, allocatable, requested) => dense.set(row, allocatable, requested))
    const rows: number[] = []
    this.#postings.forEach(id, (row) => rows.push(row))
    for (const row of rows) this.#postings.set(id, row, 0, 0)
    while (this.#dense.length <= id) this.#dense.push(undefined)
    this.#dense[id] = dense
  }

  #moveToPostings(id: number, dense: DenseResource): void {
    this.#dense[id] = undefined
    for (let row = 0; row < this.#capacity; row++) {
      if (dense.allocatable.values[row] === 0 && dense.requested.values[row] === 0) continue
      this.#postings.set(id, row, dense.allocatable.get(row), dense.requested.get(row))
    }
  }
}
