import type { Amount } from './amount.ts'
import { AmountColumn } from './amount-column.ts'
import { RowSet } from './row-set.ts'

/** A resource that many nodes offer: one cell a row. */
export class DenseResource {
  allocatable: AmountColumn
  requested: AmountColumn
  /** Rows on which less is requested than offered. */
  room: RowSet
  /** Rows that offer or hold anything. */
  used = 0

  constructor(capacity: number) {
    this.allocatable = new AmountColumn(capacity)
    this.requested = new AmountColumn(capacity)
    this.room = new RowSet(capacity)
  }

  set(row: number, allocatable: Amount, requested: Amount): void {
    const was = this.#isUsed(row)
    this.allocatable.set(row, allocatable)
    this.requested.set(row, requested)
    this.used += Number(this.#isUsed(row)) - Number(was)
    this.room.put(row, requested < allocatable)
  }

  #isUsed(row: number): boolean {
    return this.allocatable.values[row] !== 0 || this.requested.values[row] !== 0
  }

  grow(capacity: number): void {
    this.allocatable.grow(capacity)
    this.requested.grow(capacity)
    this.room.grow(capacity)
  }

  copy(): DenseResource {
    const copy = new DenseResource(0)
    copy.allocatable = this.allocatable.copy()
    copy.requested = this.requested.copy()
    copy.room = this.room.copy()
    copy.used = this.used
    return copy
  }
}
