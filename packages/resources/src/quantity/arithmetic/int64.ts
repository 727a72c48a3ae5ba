/** The largest int64. */
export const MAX_INT64: bigint = 9223372036854775807n
/** The smallest int64. */
export const MIN_INT64: bigint = -9223372036854775808n

const POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))

/** 10^n as an exact integer, for n >= 0. */
export function powerOfTen(n: number): bigint {
  return POWERS_OF_TEN[n] ?? 10n ** BigInt(n)
}

/** The low 64 bits as a signed number: what Go's int64 arithmetic keeps. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

/** Whether an int64 can hold the number. */
export function fitsInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64
}

/**
 * a * b, or undefined where `int64Multiply` of apimachinery reports an overflow; it also gives up on the
 * smallest int64 unless the other factor is 0 or 1.
 */
export function multiplyInt64(a: bigint, b: bigint): bigint | undefined {
  const isTrivial = a === 0n || b === 0n || a === 1n || b === 1n
  if (!isTrivial && (a === MIN_INT64 || b === MIN_INT64)) return undefined
  const product = a * b
  return fitsInt64(product) ? product : undefined
}

/** Result of scaling an int64 up; `value` is what Go returns beside `ok`. */
export interface ScaledInt64 {
  readonly value: bigint
  readonly isExact: boolean
}

// For these exponents Go multiplies once and hands back the wrapped product; for others it gives back 0.
const WRAPPING_EXPONENTS: ReadonlySet<number> = new Set([1, 2, 3, 6, 9])

/**
 * value * 10^exponent as `positiveScaleInt64` of apimachinery (v1.36) computes it, overflow included.
 *
 * @param exponent - Not negative.
 */
export function scaleUpInt64(value: bigint, exponent: number): ScaledInt64 {
  if (exponent === 0 || value === 0n) return { value, isExact: true }
  if (value === MIN_INT64) return { value: 0n, isExact: false }
  // Ten more digits than an int64 has cannot fit; the power itself need not be computed.
  const product = exponent > 30 ? undefined : value * powerOfTen(exponent)
  if (product !== undefined && fitsInt64(product)) return { value: product, isExact: true }
  const wraps = product !== undefined && WRAPPING_EXPONENTS.has(exponent)
  return { value: wraps ? wrapInt64(product) : 0n, isExact: false }
}

/** value / divisor rounded away from zero, for divisor > 0. */
export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  if (quotient * divisor === value) return quotient
  return value > 0n ? quotient + 1n : quotient - 1n
}

/** value / divisor rounded towards minus infinity, for divisor > 0. */
export function divideFloor(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient
}
