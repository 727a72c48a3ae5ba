export const MAX_INT64: bigint = 9223372036854775807n
export const MIN_INT64: bigint = -9223372036854775808n

const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))

/** Returns 10^n exactly, for n >= 0. */
export function powerOfTen(n: number): bigint {
  return POWERS_OF_TEN[n] ?? 10n ** BigInt(n)
}

/** Returns the low 64 bits as a signed number, like Go's int64 arithmetic. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

export function fitsInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64
}

/**
 * Returns a * b, or undefined when `int64Multiply` of apimachinery reports an overflow. It does so for the smallest
 * int64 too, unless the other factor is 0 or 1.
 */
export function multiplyInt64(a: bigint, b: bigint): bigint | undefined {
  const isTrivial = a === 0n || b === 0n || a === 1n || b === 1n
  if (!isTrivial && (a === MIN_INT64 || b === MIN_INT64)) return undefined
  const product = a * b
  return fitsInt64(product) ? product : undefined
}

/** The result of scaling an int64 up: Go's two results, where `isExact` is Go's `ok`. */
export interface ScaledInt64 {
  readonly value: bigint
  readonly isExact: boolean
}

// For these exponents Go multiplies once and returns the wrapped product on overflow; for others it returns 0.
const WRAPPING_EXPONENTS: ReadonlySet<number> = new Set([1, 2, 3, 6, 9])

/**
 * Returns value * 10^exponent like `positiveScaleInt64` of apimachinery (v1.36), including its overflow behavior.
 *
 * @param exponent - Not negative.
 */
export function scaleUpInt64(value: bigint, exponent: number): ScaledInt64 {
  if (exponent === 0 || value === 0n) return { value, isExact: true }
  if (value === MIN_INT64) return { value: 0n, isExact: false }
  // With more than 30 extra digits the product cannot fit, so the power is not computed.
  const product = exponent > 30 ? undefined : value * powerOfTen(exponent)
  if (product !== undefined && fitsInt64(product)) return { value: product, isExact: true }
  const wraps = product !== undefined && WRAPPING_EXPONENTS.has(exponent)
  return { value: wraps ? wrapInt64(product) : 0n, isExact: false }
}

/** Returns value / divisor, rounded away from zero, for divisor > 0. */
export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  if (quotient * divisor === value) return quotient
  return value > 0n ? quotient + 1n : quotient - 1n
}

/** Returns value / divisor, rounded toward minus infinity, for divisor > 0. */
export function divideFloor(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient
}
