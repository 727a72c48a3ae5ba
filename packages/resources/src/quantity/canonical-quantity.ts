import { type Decimal, wholeNumberOf } from './arithmetic/decimal.ts'
import { MIN_INT64, powerOfTen } from './arithmetic/int64.ts'
import { binarySuffix, decimalSuffix, type QuantityFormat } from './quantity-format.ts'

/** Divides a number other than 0 by `base` as often as it divides evenly. */
function divideOut(value: bigint, base: bigint): { readonly rest: bigint; readonly count: number } {
  let rest = value
  let count = 0
  while (rest % base === 0n) {
    rest /= base
    count += 1
  }
  return { rest, count }
}

function canonicalDecimal(amount: Decimal, format: QuantityFormat): string {
  const { rest, count } = divideOut(amount.unscaled, 10n)
  const exponent = amount.exponent + count
  const surplus = ((exponent % 3) + 3) % 3
  return `${rest * powerOfTen(surplus)}${decimalSuffix(exponent - surplus, format)}`
}

/**
 * Returns the canonical text of an amount (`CanonicalizeBytes` of apimachinery, v1.36): no fraction digits and the
 * largest suffix that is exact. Like upstream, amounts beyond the largest suffix have none.
 *
 * @param isInt64Form - In this form, upstream does not factor the smallest int64.
 */
export function canonicalQuantity(amount: Decimal, format: QuantityFormat, isInt64Form: boolean): string {
  if (amount.unscaled === 0n) return '0'
  if (format !== 'BinarySI') return canonicalDecimal(amount, format)
  const integer = wholeNumberOf(amount)
  if (integer === undefined || (integer > -1024n && integer < 1024n)) return canonicalDecimal(amount, 'DecimalSI')
  if (isInt64Form && integer === MIN_INT64) return `${integer}`
  const { rest, count } = divideOut(integer, 1024n)
  return `${rest}${binarySuffix(count * 10)}`
}
