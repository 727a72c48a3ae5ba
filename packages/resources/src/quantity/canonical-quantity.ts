import type { Decimal } from './arithmetic/decimal.ts'
import { MIN_INT64, powerOfTen } from './arithmetic/int64.ts'
import { binarySuffix, decimalSuffix, type QuantityFormat } from './quantity-format.ts'

/** How often `base` divides a number that is not 0, and what is left. */
function divideOut(value: bigint, base: bigint): { readonly rest: bigint; readonly count: number } {
  let rest = value
  let count = 0
  while (rest % base === 0n) {
    rest /= base
    count += 1
  }
  return { rest, count }
}

/** The amount as a whole number; undefined when it is none. */
function toWholeNumber({ unscaled, exponent }: Decimal): bigint | undefined {
  if (exponent >= 0) return unscaled * powerOfTen(exponent)
  const divisor = powerOfTen(-exponent)
  const integer = unscaled / divisor
  return integer * divisor === unscaled ? integer : undefined
}

function canonicalDecimal(amount: Decimal, format: QuantityFormat): string {
  const { rest, count } = divideOut(amount.unscaled, 10n)
  const exponent = amount.exponent + count
  const surplus = ((exponent % 3) + 3) % 3
  return `${rest * powerOfTen(surplus)}${decimalSuffix(exponent - surplus, format)}`
}

/**
 * The canonical text of an amount (`CanonicalizeBytes` of apimachinery, v1.36): no fraction digits, the
 * largest suffix that loses nothing. Beyond the largest suffix there is none, as upstream prints it.
 *
 * @param isInt64Form - Upstream finds no factors in the smallest int64 in that form.
 */
export function canonicalQuantity(amount: Decimal, format: QuantityFormat, isInt64Form: boolean): string {
  if (amount.unscaled === 0n) return '0'
  if (format !== 'BinarySI') return canonicalDecimal(amount, format)
  const integer = toWholeNumber(amount)
  if (integer === undefined || (integer > -1024n && integer < 1024n)) return canonicalDecimal(amount, 'DecimalSI')
  if (isInt64Form && integer === MIN_INT64) return `${integer}`
  const { rest, count } = divideOut(integer, 1024n)
  return `${rest}${binarySuffix(count * 10)}`
}
