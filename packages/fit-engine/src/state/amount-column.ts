import type { Amount } from './amount.ts'

/**
 * A column of amounts: doubles, and a map for the few that no double holds. In `values` such a cell is NaN, which
 * fails every comparison, so that a fast loop notices it and asks {@link AmountColumn.get}.
 */
export class AmountColumn {
  values: Float64Array
  #beyond: Map<number, bigint> | undefined

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
  }

  get(index: number): Amount {
    const value = this.values[index] ?? 0
    return Number.isNaN(value) ? (this.#beyond?.get(index) ?? 0n) : value
  }

  set(index: number, amount: Amount): void {
    if (typeof amount === 'bigint') {
      this.values[index] = Number.NaN
      this.#beyond ??= new Map()
      this.#beyond.set(index, amount)
      return
    }
    this.values[index] = amount
    if (this.#beyond?.delete(index) === true && this.#beyond.size === 0) this.#beyond = undefined
  }

  /** No cell needs more than a double. */
  get isExact(): boolean {
    return this.#beyond === undefined
  }

  grow(capacity: number): void {
    const values = new Float64Array(capacity)
    values.set(this.values)
    this.values = values
  }

  copy(): AmountColumn {
    const copy = new AmountColumn(0)
    copy.values = this.values.slice()
    copy.#beyond = this.#beyond && new Map(this.#beyond)
    return copy
  }
}
