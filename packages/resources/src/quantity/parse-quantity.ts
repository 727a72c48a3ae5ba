import { memoizeBounded } from '../memoize-bounded.ts'
import { compareDecimals, roundDecimal, type Decimal } from './arithmetic/decimal.ts'
import { QuantityError } from '../errors.ts'
import { MAX_INT64, multiplyInt64 } from './arithmetic/int64.ts'
import { parseSuffix, type QuantityFormat, type Suffix } from './quantity-format.ts'
import { Quantity } from './quantity.ts'
import { scanQuantity, type ScannedQuantity } from './scan-quantity.ts'

const MAX_TEXT_LENGTH = 1024
// Go computes a power of ten for any exponent, which may take unbounded time. No real amount comes near this limit.
const MAX_EXPONENT = 4096
const NANO = -9
const MAX_DECIMAL_DIGITS = 18

/**
 * Parses a quantity like `resource.ParseQuantity` of Kubernetes v1.36, including its oddities: a lone sign, decimal
 * point or short suffix is 0, and any amount below one nano becomes one nano.
 *
 * @param text - Not trimmed. A number is read as the text that JavaScript prints for it.
 * @throws QuantityError BERTH_QUANTITY_FORMAT, BERTH_QUANTITY_NUMERIC, BERTH_QUANTITY_SUFFIX, and
 *   BERTH_QUANTITY_TOO_LARGE for texts over 1,024 characters and exponents beyond 4,096, where Go may not terminate.
 */
export function parseQuantity(text: string | number): Quantity {
  return parseMemoized(typeof text === 'number' ? String(text) : text)
}

const parseMemoized = memoizeBounded(parse, { limit: 4096, maxLength: 40 })

function parse(text: string): Quantity {
  if (text.length > MAX_TEXT_LENGTH) throw new QuantityError('BERTH_QUANTITY_TOO_LARGE', text)
  if (text === '') throw new QuantityError('BERTH_QUANTITY_FORMAT', text)
  if (text === '0') return new Quantity({ unscaled: 0n, exponent: 0, form: 'int64', format: 'DecimalSI', text })

  const scanned = scanQuantity(text)
  if (scanned === undefined) throw new QuantityError('BERTH_QUANTITY_FORMAT', text)
  const suffix = parseSuffix(scanned.suffix)
  if (suffix === undefined) throw new QuantityError('BERTH_QUANTITY_SUFFIX', text)
  if (Math.abs(suffix.exponent) > MAX_EXPONENT) throw new QuantityError('BERTH_QUANTITY_TOO_LARGE', text)

  const short = suffix.base === 2 ? parseShortBinary(scanned, suffix, text) : parseShortDecimal(scanned, suffix, text)
  if (short !== undefined) return short
  const long = parseLong(scanned, suffix)
  if (long === undefined) throw new QuantityError('BERTH_QUANTITY_NUMERIC', text)
  return long
}

function signed(value: bigint, { isNegative }: ScannedQuantity): bigint {
  return isNegative ? -value : value
}

/** Upstream's fast path for few enough digits to fit an int64. Only this path may keep the text. */
function parseShortDecimal(scanned: ScannedQuantity, { exponent, format }: Suffix, text: string): Quantity | undefined {
  const digits = scanned.integer + scanned.fraction
  const scale = exponent - scanned.fraction.length
  if (digits.length > MAX_DECIMAL_DIGITS || scale < NANO) return undefined
  const parts = { unscaled: signed(BigInt(digits), scanned), exponent: scale, form: 'int64', format } as const
  const keepsText = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return new Quantity(keepsText ? { ...parts, text } : parts)
}

function parseShortBinary(scanned: ScannedQuantity, { exponent, format }: Suffix, text: string): Quantity | undefined {
  const room = 14 - scanned.integer.length - Math.floor((exponent * 3) / 10)
  if (scanned.fraction !== '' || room < 0) return undefined
  const value = BigInt(scanned.integer)
  const product = multiplyInt64(value, 1n << BigInt(exponent))
  if (product === undefined) return undefined
  const parts = { unscaled: signed(product, scanned), exponent: 0, form: 'int64', format } as const
  return new Quantity((value & 7n) === 0n ? parts : { ...parts, text })
}

/** Parses any number of digits. Returns undefined when there are none. */
function parseLong(scanned: ScannedQuantity, suffix: Suffix): Quantity | undefined {
  const digits = scanned.number.replace(/[-+.]/g, '')
  if (digits === '') return undefined
  const exact: Decimal =
    suffix.base === 2
      ? { unscaled: BigInt(digits) << BigInt(suffix.exponent), exponent: -scanned.fraction.length }
      : { unscaled: BigInt(digits), exponent: suffix.exponent - scanned.fraction.length }
  const { amount, format } = capBinary(exact.unscaled === 0n ? exact : roundDecimal(exact, NANO), suffix.format)
  const unscaled = signed(amount.unscaled, scanned)
  return new Quantity({ unscaled, exponent: amount.exponent, form: 'decimal', format })
}

const ONE: Decimal = { unscaled: 1n, exponent: 0 }
const LARGEST: Decimal = { unscaled: MAX_INT64, exponent: 0 }

/** Caps a binary amount at the largest int64. A binary amount below 1 becomes a decimal one. */
function capBinary(
  amount: Decimal,
  format: QuantityFormat,
): { readonly amount: Decimal; readonly format: QuantityFormat } {
  if (format !== 'BinarySI') return { amount, format }
  if (compareDecimals(amount, LARGEST) > 0) return { amount: LARGEST, format }
  const isBelowOne = amount.unscaled !== 0n && compareDecimals(amount, ONE) < 0
  return { amount, format: isBelowOne ? 'DecimalSI' : format }
}
