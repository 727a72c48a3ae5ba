import type { Amount } from './amount.ts'

/** The sum of two such amounts, times 100, is exact in a double. */
export const PLAIN_LIMIT = 45_000_000_000_000

function isPlain(amount: Amount): boolean {
  return amount >= 0 && amount <= PLAIN_LIMIT
}

/**
 * A column of amounts: doubles, and a map for the few that no double holds. In `values` such a cell is NaN, which
 * fails every comparison, so that a fast loop notices it and asks {@link AmountColumn.get}.
 */
export class AmountColumn {
  values: Float64Array
  /** How many cells are below 0 or above {@link PLAIN_LIMIT}. */
  #odd = 0
  #beyond: Map<number, bigint> | undefined

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
  }

  get(index: number): Amount {
    const value = this.values[index] ?? 0
    return Number.isNaN(value) ? (this.#beyond?.get(index) ?? 0n) : value
  }

  set(index: number, amount: Amount): void {
    this.#odd += Number(!isPlain(amount)) - Number(!isPlain(this.values[index] ?? 0))
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

  /** Every cell is within 0..{@link PLAIN_LIMIT}. */
  get isPlain(): boolean {
    return this.#odd === 0
  }

  grow(capacity: number): void {
    const values = new Float64Array(capacity)
    values.set(this.values)
    this.values = values
  }

  copy(): AmountColumn {
    const copy = new AmountColumn(0)
    copy.values = this.values.slice()
    copy.#odd = this.#odd
    copy.#beyond = this.#beyond && new Map(this.#beyond)
    return copy
  }
}
