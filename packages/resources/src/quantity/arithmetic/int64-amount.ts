import { addDecimals, type Decimal } from './decimal.ts'
import { divideAwayFromZero, fitsInt64, multiplyInt64, powerOfTen, scaleUpInt64 } from './int64.ts'

/**
 * Returns the sum of two amounts in int64 form, or undefined when upstream's `int64Amount.Add` (v1.36) switches to
 * decimal form.
 */
export function addInt64Amounts(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.unscaled === 0n) return a
  if (a.unscaled === 0n) return b
  const coarse = a.exponent > b.exponent ? a : b
  if (!scaleUpInt64(coarse.unscaled, Math.abs(a.exponent - b.exponent)).isExact) return undefined
  const sum = addDecimals(a, b)
  return fitsInt64(sum.unscaled) ? sum : undefined
}

/** Returns the product in int64 form, or undefined when `int64Amount.Mul` (v1.36) switches to decimal form. */
export function multiplyInt64Amount(a: Decimal, factor: bigint): Decimal | undefined {
  if (a.unscaled === 0n) return a
  if (factor === 0n) return { unscaled: 0n, exponent: 0 }
  const unscaled = multiplyInt64(a.unscaled, factor)
  if (unscaled === undefined) return undefined
  const isExact = a.exponent >= 0 ? scaleUpInt64(unscaled, a.exponent).isExact : isWhole(unscaled, -a.exponent)
  return isExact ? { unscaled, exponent: a.exponent } : undefined
}

function isWhole(unscaled: bigint, decimals: number): boolean {
  const divisor = powerOfTen(Math.min(decimals, 20))
  return divideAwayFromZero(unscaled, divisor) * divisor === unscaled
}
