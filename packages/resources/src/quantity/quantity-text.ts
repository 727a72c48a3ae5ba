import { parseQuantity } from './parse-quantity.ts'
import type { Quantity } from './quantity.ts'

/** Digits behind the point of a 1024th of a whole nano: 9 of the nano, 10 of the division. */
const KIBI_DIGITS = 19

/**
 * A text that reads back as this very quantity. What upstream prints may read back in another format (`8Ei` prints as
 * `9223372036854775807`, which is decimal), and sums would print differently then.
 *
 * @param written - What the quantity was read from, preferred over a text that nobody wrote.
 */
export function quantityText(quantity: Quantity, written = ''): string {
  const printed = quantity.toString()
  if (readsBack(printed, quantity)) return printed
  if (readsBack(written, quantity)) return written
  const kibi = quantity.format === 'BinarySI' ? kibiText(quantity) : undefined
  return kibi !== undefined && readsBack(kibi, quantity) ? kibi : printed
}

function readsBack(text: string, quantity: Quantity): boolean {
  try {
    const read = parseQuantity(text)
    return read.format === quantity.format && read.equals(quantity)
  } catch {
    return false
  }
}

/** The amount in Ki with all its digits; undefined below a nano. */
function kibiText({ unscaled, exponent }: Quantity): string | undefined {
  if (exponent < -9) return undefined
  const digits = (unscaled < 0n ? -unscaled : unscaled) * 10n ** BigInt(exponent + KIBI_DIGITS)
  const text = (digits / 1024n).toString().padStart(KIBI_DIGITS + 1, '0')
  const sign = unscaled < 0n ? '-' : ''
  return `${sign}${text.slice(0, -KIBI_DIGITS)}.${text.slice(-KIBI_DIGITS)}Ki`
}
