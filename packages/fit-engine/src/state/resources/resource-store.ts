import { type Amount, addAmounts, subtractAmounts } from './amount.ts'
import type { AmountColumn } from './amount-column.ts'
import { DenseResource } from './dense-resource.ts'
import { Postings } from './postings.ts'
import { FIRST_SCALAR, ResourceNames } from './resource-names.ts'

/** Below this many rows a resource is never worth a column. */
const MIN_DENSE = 64
/** A resource gets a column when more than one row in 16 has it, and loses it below one in 32. */
const DENSE_SHIFT = 4

/** One resource, a cell a row. */
export interface ResourceColumns {
  readonly allocatable: AmountColumn
  readonly requested: AmountColumn
  /** {@link DenseResource.free} */
  readonly free: Float64Array
}

/**
 * How much of each resource each row offers and holds. Widely offered resources live in columns, rare ones in
 * posting lists; which form a resource has never shows in an answer.
 */
export class ResourceStore {
  names: ResourceNames = new ResourceNames()
  #capacity: number
  #rowCount = 0
  #dense: (DenseResource | undefined)[]
  #postings = new Postings()
  /** Where rare resources are spread out for a loop over rows; all zero between uses. */
  #scratch: DenseResource[] = []

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

  /** Sets what the row offers. An amount other than 0 keeps the name alive. */
  setAllocatable(name: string, row: number, amount: Amount): void {
    const id = this.names.acquire(name)
    const old = this.allocatable(id, row)
    this.#set(id, row, amount, this.requested(id, row))
    if (old !== 0) this.names.release(id)
    if (amount === 0) this.names.release(id)
  }

  addRequested(id: number, row: number, amount: Amount): void {
    this.#set(id, row, this.allocatable(id, row), addAmounts(this.requested(id, row), amount))
  }

  subtractRequested(id: number, row: number, amount: Amount): void {
    this.#set(id, row, this.allocatable(id, row), subtractAmounts(this.requested(id, row), amount))
  }

  /** The resource as two columns over all rows; to be given back before the store changes. */
  borrowColumns(id: number): ResourceColumns {
    const dense = this.#dense[id]
    if (dense !== undefined) return dense
    const spread = this.#scratch.pop() ?? new DenseResource(this.#capacity)
    this.#postings.forEach(id, (row, allocatable, requested) => spread.set(row, allocatable, requested))
    return spread
  }

  /** Takes columns back that {@link ResourceStore.borrowColumns} lent. */
  returnColumns(id: number, columns: ResourceColumns): void {
    if (!(columns instanceof DenseResource) || this.#dense[id] !== undefined) return
    this.#postings.forEach(id, (row) => columns.set(row, 0, 0))
    this.#scratch.push(columns)
  }

  /** A lower bound of what is left of the resource on the rows: {@link DenseResource.leastFree}. */
  leastFree(id: number, rows: Int32Array): number {
    // Of a rare resource, some of the rows have nothing at all.
    return this.#dense[id]?.leastFree(rows) ?? Number.NEGATIVE_INFINITY
  }

  /** Upper bound of the number of rows that {@link ResourceStore.writeRowsWithFree} writes. */
  maxRowsWithFree(id: number): number {
    return this.#dense[id]?.usedRows ?? this.#postings.count(id)
  }

  /** Writes the rows on which something is left into `target` and says how many they are. */
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
    this.#scratch = []
    for (const dense of this.#dense) dense?.grow(capacity)
  }

  /** Tells how many rows there are; a column that they made too empty is given up. */
  setRowCount(rowCount: number): void {
    const isLarger = rowCount > this.#rowCount
    this.#rowCount = rowCount
    if (!isLarger || (rowCount & (rowCount - 1)) !== 0) return
    for (let id = FIRST_SCALAR; id < this.#dense.length; id++) this.#reconsider(id)
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
    if (id >= FIRST_SCALAR) this.#reconsider(id)
  }

  #reconsider(id: number): void {
    const threshold = Math.max(MIN_DENSE, this.#rowCount >>> DENSE_SHIFT)
    const dense = this.#dense[id]
    if (dense === undefined) {
      if (this.#postings.count(id) > threshold) this.#promote(id)
    } else if (dense.usedRows < threshold / 2) this.#demote(id, dense)
  }

  #promote(id: number): void {
    const dense = new DenseResource(this.#capacity)
    this.#postings.forEach(id, (row, allocatable, requested) => dense.set(row, allocatable, requested))
    const rows: number[] = []
    this.#postings.forEach(id, (row) => rows.push(row))
    for (const row of rows) this.#postings.set(id, row, 0, 0)
    while (this.#dense.length <= id) this.#dense.push(undefined)
    this.#dense[id] = dense
  }

  #demote(id: number, dense: DenseResource): void {
    this.#dense[id] = undefined
    for (let row = 0; row < this.#capacity; row++) {
      if (dense.allocatable.values[row] === 0 && dense.requested.values[row] === 0) continue
      this.#postings.set(id, row, dense.allocatable.get(row), dense.requested.get(row))
    }
  }
}
