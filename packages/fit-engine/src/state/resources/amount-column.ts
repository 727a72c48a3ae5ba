import type { Amount } from './amount.ts'

/** Up to this limit, 100 times the sum of two amounts is exact in a double. */
export const PLAIN_LIMIT = 45_000_000_000_000

function isPlain(amount: Amount): boolean {
  return amount >= 0 && amount <= PLAIN_LIMIT
}

/**
 * A column of amounts: doubles, and a map for the few amounts that a double cannot hold exactly. Such a cell is NaN in
 * `values`. NaN fails every comparison, so a fast loop over `values` notices it and calls {@link AmountColumn.get}.
 */
export class AmountColumn {
  values: Float64Array
  /** Number of cells below 0 or above {@link PLAIN_LIMIT}. */
  #notPlainCount = 0
  #bigAmounts: Map<number, bigint> | undefined

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
  }

  get(index: number): Amount {
    const value = this.values[index] ?? 0
    return Number.isNaN(value) ? (this.#bigAmounts?.get(index) ?? 0n) : value
  }

  set(index: number, amount: Amount): void {
    this.#notPlainCount += Number(!isPlain(amount)) - Number(!isPlain(this.values[index] ?? 0))
    if (typeof amount === 'bigint') {
      this.values[index] = Number.NaN
      this.#bigAmounts ??= new Map()
      this.#bigAmounts.set(index, amount)
      return
    }
    this.values[index] = amount
    if (this.#bigAmounts?.delete(index) === true && this.#bigAmounts.size === 0) this.#bigAmounts = undefined
  }

  /** Whether `values` holds every amount exactly. */
  get isExact(): boolean {
    return this.#bigAmounts === undefined
  }

  /** Whether every amount is within 0..{@link PLAIN_LIMIT}. */
  get isPlain(): boolean {
    return this.#notPlainCount === 0
  }

  grow(capacity: number): void {
    const values = new Float64Array(capacity)
    values.set(this.values)
    this.values = values
  }

  copy(): AmountColumn {
    const copy = new AmountColumn(0)
    copy.values = this.values.slice()
    copy.#notPlainCount = this.#notPlainCount
    copy.#bigAmounts = this.#bigAmounts && new Map(this.#bigAmounts)
    return copy
  }
}
