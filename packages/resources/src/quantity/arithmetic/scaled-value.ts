import type { Decimal } from './decimal.ts'
import { MAX_INT64, MIN_INT64, divideAwayFromZero, divideFloor, powerOfTen, scaleUpInt64, wrapInt64 } from './int64.ts'

/** Returns an amount in int64 form in units of 10^scale: rounded away from zero, and wrapped or 0 on overflow. */
export function scaledInt64Value(amount: Decimal, scale: number): bigint {
  const lostDigits = scale - amount.exponent
  if (lostDigits <= 0) return scaleUpInt64(amount.unscaled, -lostDigits).value
  // Twenty digits are more than an int64 has, so losing even more gives the same result.
  return divideAwayFromZero(amount.unscaled, powerOfTen(Math.min(lostDigits, 20)))
}

/** Returns an amount in decimal form in units of 10^scale, like `scaledValue` of apimachinery (v1.36) on amd64. */
export function scaledDecimalValue(amount: Decimal, scale: number): bigint {
  const { unscaled } = amount
  const lostDigits = scale - amount.exponent
  if (lostDigits <= 0) {
    // Go computes the power as a float64. Beyond int64, its conversion results in the smallest int64.
    const factor = -lostDigits > 18 ? MIN_INT64 : powerOfTen(-lostDigits)
    return wrapInt64(wrapInt64(unscaled) * factor)
  }
  if (unscaled < MAX_INT64 && lostDigits < 19) {
    const dividend = wrapInt64(unscaled)
    const divisor = powerOfTen(lostDigits)
    return addOneForRemainder(dividend / divisor, dividend, divisor)
  }
  const divisor = powerOfTen(Math.min(lostDigits, `${unscaled}`.length + 1))
  return addOneForRemainder(divideFloor(unscaled, divisor), unscaled, divisor)
}

// Upstream adds one for any remainder, below zero too, so -1.5 in decimal form has the value 0.
function addOneForRemainder(quotient: bigint, dividend: bigint, divisor: bigint): bigint {
  return wrapInt64(quotient * divisor === dividend ? quotient : quotient + 1n)
}
