import type { Decimal } from './decimal.ts'
import { MAX_INT64, MIN_INT64, divideAwayFromZero, divideFloor, powerOfTen, scaleUpInt64, wrapInt64 } from './int64.ts'

/** Units of 10^scale of an amount in int64 form: away from zero, wrapped or 0 on overflow. */
export function scaledInt64Value(amount: Decimal, scale: number): bigint {
  const lostDigits = scale - amount.exponent
  if (lostDigits <= 0) return scaleUpInt64(amount.unscaled, -lostDigits).value
  // Twenty digits are more than an int64 has, so every longer loss gives the same.
  return divideAwayFromZero(amount.unscaled, powerOfTen(Math.min(lostDigits, 20)))
}

/** Units of 10^scale of an amount in decimal form: `scaledValue` of apimachinery (v1.36) on amd64. */
export function scaledDecimalValue(amount: Decimal, scale: number): bigint {
  const { unscaled } = amount
  const lostDigits = scale - amount.exponent
  if (lostDigits <= 0) {
    // Go takes the power from a float64; beyond int64 the conversion gives the smallest int64.
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

// Below zero too: upstream adds one for any remainder, so -1.5 in decimal form has the value 0.
function addOneForRemainder(quotient: bigint, dividend: bigint, divisor: bigint): bigint {
  return wrapInt64(quotient * divisor === dividend ? quotient : quotient + 1n)
}
