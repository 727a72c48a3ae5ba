import { addDecimals, type Decimal } from './decimal.ts'
import { divideAwayFromZero, fitsInt64, multiplyInt64, powerOfTen, scaleUpInt64 } from './int64.ts'

/**
 * Sum of two amounts whose digits fit int64, in that form; undefined where upstream's `int64Amount.Add`
 * (v1.36) gives up and goes on in decimal form.
 */
export function addInt64Amounts(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.unscaled === 0n) return a
  if (a.unscaled === 0n) return b
  const coarse = a.exponent > b.exponent ? a : b
  if (!scaleUpInt64(coarse.unscaled, Math.abs(a.exponent - b.exponent)).isExact) return undefined
  const sum = addDecimals(a, b)
  return fitsInt64(sum.unscaled) ? sum : undefined
}

/** Product in int64 form; undefined where `int64Amount.Mul` (v1.36) goes on in decimal form. */
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
