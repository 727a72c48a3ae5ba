import { canonicalQuantity } from './canonical-quantity.ts'
import { addDecimals, compareDecimals, roundDecimal, wholeNumberOf, type Decimal } from './arithmetic/decimal.ts'
import { addInt64Amounts, multiplyInt64Amount } from './arithmetic/int64-amount.ts'
import { fitsInt64, scaleUpInt64, wrapInt64 } from './arithmetic/int64.ts'
import type { QuantityFormat } from './quantity-format.ts'
import { scaledDecimalValue, scaledInt64Value } from './arithmetic/scaled-value.ts'

/**
 * The internal form of the number, one of upstream's two. Both hold the same numbers but round and overflow
 * differently, so that the form affects {@link Quantity.value}.
 */
export type QuantityForm = 'int64' | 'decimal'

/** The fields of a {@link Quantity}. The number is unscaled * 10^exponent. In int64 form, unscaled fits an int64. */
export interface QuantityParts extends Decimal {
  readonly form: QuantityForm
  readonly format: QuantityFormat
  /** The text to print instead of the canonical form. */
  readonly text?: string
}

/**
 * An amount with the rounding, overflow and printing of `resource.Quantity` (Kubernetes v1.36). Immutable: operations
 * return a new quantity. Created by `parseQuantity`.
 */
export class Quantity implements Decimal {
  readonly unscaled: bigint
  readonly exponent: number
  readonly form: QuantityForm
  readonly format: QuantityFormat
  readonly #text: string | undefined

  constructor(parts: QuantityParts) {
    this.unscaled = parts.unscaled
    this.exponent = parts.exponent
    this.form = parts.form
    this.format = parts.format
    this.#text = parts.text
  }

  /** Returns the whole units, rounded away from zero and wrapped to int64 as in Go. */
  value(): bigint {
    return this.scaledValue(0)
  }

  /** Returns the thousandths, rounded and wrapped like {@link value}. */
  milliValue(): bigint {
    return this.scaledValue(-3)
  }

  /** Returns the units of 10^scale, rounded and wrapped like {@link value}. */
  scaledValue(scale: number): bigint {
    return this.form === 'int64' ? scaledInt64Value(this, scale) : scaledDecimalValue(this, scale)
  }

  /** Returns the exact number, or undefined for fractions, overflow and the decimal form (upstream's `AsInt64`). */
  asInt64(): bigint | undefined {
    if (this.form === 'decimal' || this.exponent < 0) return undefined
    const scaled = scaleUpInt64(this.unscaled, this.exponent)
    return scaled.isExact ? scaled.value : undefined
  }

  /** Returns the exact number of any size, or undefined when it has a fraction. */
  wholeNumber(): bigint | undefined {
    return wholeNumberOf(this)
  }

  /** Returns the nearest double (upstream's `AsApproximateFloat64`); infinite when it is too large for one. */
  asApproximateFloat(): number {
    return Number(`${this.unscaled}e${this.exponent}`)
  }

  /** Returns whether `unscaled` fits an int64: the boolean that Go's `Mul` returns about its product. */
  hasInt64Digits(): boolean {
    return fitsInt64(this.unscaled)
  }

  isZero(): boolean {
    return this.unscaled === 0n
  }

  sign(): -1 | 0 | 1 {
    if (this.unscaled === 0n) return 0
    return this.unscaled < 0n ? -1 : 1
  }

  /** Compares the numbers, ignoring form and format: -1 when this is smaller, 0 when equal, 1 when larger. */
  cmp(other: Quantity): -1 | 0 | 1 {
    return compareDecimals(this, other)
  }

  /** Returns whether both are the same number, ignoring form and format. */
  equals(other: Quantity): boolean {
    return this.cmp(other) === 0
  }

  /** Returns the sum, in the format of this quantity; in that of `other` if this is zero. */
  add(other: Quantity): Quantity {
    return this.#sum(other, other.unscaled)
  }

  /** Returns the difference, in the format of this quantity; in that of `other` if this is zero. */
  sub(other: Quantity): Quantity {
    return this.#sum(other, -other.unscaled)
  }

  /** Returns the negated number. */
  neg(): Quantity {
    const unscaled = this.form === 'int64' ? wrapInt64(-this.unscaled) : -this.unscaled
    return this.#withNumber({ unscaled, exponent: this.exponent }, this.form)
  }

  /** Returns the product with an int64. */
  mul(factor: bigint): Quantity {
    const product = this.form === 'int64' ? multiplyInt64Amount(this, factor) : undefined
    if (product !== undefined) return this.#withNumber(product, 'int64')
    return this.#withNumber({ unscaled: this.unscaled * factor, exponent: this.exponent }, 'decimal')
  }

  /** Returns the number rounded away from zero to a multiple of 10^scale. */
  roundUp(scale: number): Quantity {
    if (this.form === 'int64' && this.exponent >= scale) return this
    return this.#withNumber(roundDecimal(this, scale), this.form)
  }

  /** Returns the same number and text in decimal form. */
  toDecimalForm(): Quantity {
    if (this.form === 'decimal') return this
    const { unscaled, exponent, format } = this
    const parts: QuantityParts = { unscaled, exponent, format, form: 'decimal' }
    return new Quantity(this.#text === undefined ? parts : { ...parts, text: this.#text })
  }

  /** Returns what upstream prints: the original text if parsing kept it, else the canonical form. */
  toString(): string {
    return this.#text ?? this.canonical()
  }

  toJSON(): string {
    return this.toString()
  }

  /** Returns the canonical text, which is the same for equal numbers of one format. Use it for everything written. */
  canonical(): string {
    return canonicalQuantity(this, this.format, this.form === 'int64')
  }

  #withNumber(number: Decimal, form: QuantityForm, format: QuantityFormat = this.format): Quantity {
    return new Quantity({ unscaled: number.unscaled, exponent: number.exponent, form, format })
  }

  #sum(other: Quantity, addend: bigint): Quantity {
    const format = this.isZero() ? other.format : this.format
    if (this.form === 'int64' && other.form === 'int64') {
      // Go negates with wrap, so subtracting the smallest int64 adds it.
      const sum = addInt64Amounts(this, { unscaled: wrapInt64(addend), exponent: other.exponent })
      if (sum !== undefined) return this.#withNumber(sum, 'int64', format)
    }
    return this.#withNumber(addDecimals(this, { unscaled: addend, exponent: other.exponent }), 'decimal', format)
  }
}
