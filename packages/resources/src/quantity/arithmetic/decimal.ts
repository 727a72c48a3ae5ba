import { divideAwayFromZero, powerOfTen } from './int64.ts'

/** The exact number `unscaled * 10^exponent`. */
export interface Decimal {
  readonly unscaled: bigint
  readonly exponent: number
}

/** Returns the unscaled value of the same number at a smaller or equal exponent. */
function unscaledAt(x: Decimal, exponent: number): bigint {
  return x.exponent === exponent ? x.unscaled : x.unscaled * powerOfTen(x.exponent - exponent)
}

/** Returns -1, 0 or 1 when a is smaller than, equal to or larger than b. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const exponent = Math.min(a.exponent, b.exponent)
  const x = unscaledAt(a, exponent)
  const y = unscaledAt(b, exponent)
  if (x === y) return 0
  return x < y ? -1 : 1
}

/** Returns a + b with the smaller of the two exponents. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return { unscaled: unscaledAt(a, exponent) + unscaledAt(b, exponent), exponent }
}

/** Returns the number with exactly this exponent, rounded away from zero when digits are lost. */
export function roundDecimal(x: Decimal, exponent: number): Decimal {
  if (x.exponent >= exponent) return { unscaled: unscaledAt(x, exponent), exponent }
  return { unscaled: divideAwayFromZero(x.unscaled, powerOfTen(exponent - x.exponent)), exponent }
}

/** Returns the exact number without a fraction, or undefined when it has one. */
export function wholeNumberOf({ unscaled, exponent }: Decimal): bigint | undefined {
  if (exponent >= 0) return unscaled * powerOfTen(exponent)
  const divisor = powerOfTen(-exponent)
  return unscaled % divisor === 0n ? unscaled / divisor : undefined
}
