import type { Amount } from './amount.ts'
import { AmountColumn } from './amount-column.ts'

const NONE = -1

function enlarged(array: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(capacity).fill(NONE)
  copy.set(array)
  return copy
}

/**
 * Posting lists for the resources that few nodes offer: a linked list of (row, allocatable, requested) per resource. All
 * lists share one set of typed columns. An entry exists as long as one of its amounts is not 0.
 */
export class Postings {
  #heads = new Int32Array(0)
  #lengths = new Int32Array(0)
  #rows = new Int32Array(0)
  #next = new Int32Array(0)
  #allocatable = new AmountColumn(0)
  #requested = new AmountColumn(0)
  #firstFree = NONE
  #size = 0

  /** Returns the number of rows that offer the resource or have pods that request it. */
  count(id: number): number {
    return this.#lengths[id] ?? 0
  }

  allocatable(id: number, row: number): Amount {
    const entry = this.#find(id, row)
    return entry === NONE ? 0 : this.#allocatable.get(entry)
  }

  requested(id: number, row: number): Amount {
    const entry = this.#find(id, row)
    return entry === NONE ? 0 : this.#requested.get(entry)
  }

  set(id: number, row: number, allocatable: Amount, requested: Amount): void {
    const found = this.#find(id, row)
    if (allocatable === 0 && requested === 0) {
      if (found !== NONE) this.#remove(id, found)
      return
    }
    const entry = found === NONE ? this.#insert(id, row) : found
    this.#allocatable.set(entry, allocatable)
    this.#requested.set(entry, requested)
  }

  forEach(id: number, visit: (row: number, allocatable: Amount, requested: Amount) => void): void {
    for (let entry = this.#heads[id] ?? NONE; entry !== NONE; entry = this.#next[entry] ?? NONE) {
      visit(this.#rows[entry] ?? NONE, this.#allocatable.get(entry), this.#requested.get(entry))
    }
  }

  copy(): Postings {
    const copy = new Postings()
    copy.#heads = this.#heads.slice()
    copy.#lengths = this.#lengths.slice()
    copy.#rows = this.#rows.slice()
    copy.#next = this.#next.slice()
    copy.#allocatable = this.#allocatable.copy()
    copy.#requested = this.#requested.copy()
    copy.#firstFree = this.#firstFree
    copy.#size = this.#size
    return copy
  }

  #find(id: number, row: number): number {
    let entry = this.#heads[id] ?? NONE
    while (entry !== NONE && this.#rows[entry] !== row) entry = this.#next[entry] ?? NONE
    return entry
  }

  #insert(id: number, row: number): number {
    if (id >= this.#heads.length) {
      const capacity = Math.max(16, id + 1 + (id >>> 1))
      this.#heads = enlarged(this.#heads, capacity)
      const lengths = new Int32Array(capacity)
      lengths.set(this.#lengths)
      this.#lengths = lengths
    }
    const entry = this.#allocate()
    this.#rows[entry] = row
    this.#next[entry] = this.#heads[id] ?? NONE
    this.#heads[id] = entry
    this.#lengths[id] = this.count(id) + 1
    return entry
  }

  #allocate(): number {
    const reused = this.#firstFree
    if (reused !== NONE) {
      this.#firstFree = this.#next[reused] ?? NONE
      return reused
    }
    if (this.#size === this.#rows.length) {
      const capacity = Math.max(16, this.#size + (this.#size >>> 1))
      this.#rows = enlarged(this.#rows, capacity)
      this.#next = enlarged(this.#next, capacity)
      this.#allocatable.grow(capacity)
      this.#requested.grow(capacity)
    }
    return this.#size++
  }

  #remove(id: number, entry: number): void {
    const after = this.#next[entry] ?? NONE
    if (this.#heads[id] === entry) this.#heads[id] = after
    else {
      let before = this.#heads[id] ?? NONE
      while (this.#next[before] !== entry) before = this.#next[before] ?? NONE
      this.#next[before] = after
    }
    this.#lengths[id] = this.count(id) - 1
    this.#allocatable.set(entry, 0)
    this.#requested.set(entry, 0)
    this.#rows[entry] = NONE
    this.#next[entry] = this.#firstFree
    this.#firstFree = entry
  }
}
