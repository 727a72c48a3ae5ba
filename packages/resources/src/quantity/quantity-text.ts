import { parseQuantity } from './parse-quantity.ts'
import type { Quantity } from './quantity.ts'

/** Decimal places of a whole number of nanos divided by 1024: 9 for nano and 10 for the division. */
const KIBI_DIGITS = 19

/**
 * Returns a text that parses to the same number and format. What upstream prints may parse to another format (`8Ei`
 * prints as `9223372036854775807`, which is decimal), and sums would then print differently.
 *
 * @param original - The text that the quantity was parsed from; preferred over a computed text.
 */
export function quantityText(quantity: Quantity, original = ''): string {
  const printed = quantity.toString()
  if (parsesTo(printed, quantity)) return printed
  if (parsesTo(original, quantity)) return original
  const kibi = quantity.format === 'BinarySI' ? kibiText(quantity) : undefined
  return kibi !== undefined && parsesTo(kibi, quantity) ? kibi : printed
}

function parsesTo(text: string, quantity: Quantity): boolean {
  try {
    const read = parseQuantity(text)
    return read.format === quantity.format && read.equals(quantity)
  } catch {
    return false
  }
}

/** Returns the number in Ki with all its digits, or undefined for a number finer than a nano. */
function kibiText({ unscaled, exponent }: Quantity): string | undefined {
  if (exponent < -9) return undefined
  const digits = (unscaled < 0n ? -unscaled : unscaled) * 10n ** BigInt(exponent + KIBI_DIGITS)
  const text = (digits / 1024n).toString().padStart(KIBI_DIGITS + 1, '0')
  const sign = unscaled < 0n ? '-' : ''
  return `${sign}${text.slice(0, -KIBI_DIGITS)}.${text.slice(-KIBI_DIGITS)}Ki`
}
