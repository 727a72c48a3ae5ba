import { QuantityError } from '../errors.ts'
import { parseQuantity } from './parse-quantity.ts'
import { Quantity } from './quantity.ts'

/** The quantity of a JSON null, equal to Go's zero value: 0 without a format. */
export const zeroQuantity: Quantity = new Quantity({ unscaled: 0n, exponent: 0, form: 'int64', format: '' })

// The white space that Go's strings.TrimSpace trims. It differs from JavaScript's trim in U+0085 and U+FEFF.
const GO_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/
const JSON_SPACE = /[\t\n\r ]/

/** Trims both ends in linear time. A regular expression anchored at the end would retry at every inner space. */
function trim(text: string, space: RegExp): string {
  let start = 0
  let end = text.length
  while (start < end && space.test(text.charAt(start))) start += 1
  while (end > start && space.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function parseTrimmed(text: string): Quantity {
  return parseQuantity(trim(text, GO_SPACE))
}

/**
 * Decodes one JSON value like a quantity field of a Kubernetes object (v1.36): a string, which is trimmed, or a number,
 * whose digits are read as written. A null is 0.
 *
 * @param json - The text of one JSON value.
 * @throws QuantityError for anything else; see {@link parseQuantity}.
 */
export function decodeQuantity(json: string): Quantity {
  try {
    JSON.parse(json)
  } catch {
    throw new QuantityError('BERTH_QUANTITY_FORMAT', json)
  }
  const token = trim(json, JSON_SPACE)
  if (token === 'null') return zeroQuantity
  // Upstream does not decode escapes, so "\u0031" is not a number.
  return parseTrimmed(token.startsWith('"') ? token.slice(1, -1) : token)
}

/**
 * Returns the quantity of a decoded field of a {@link ResourceList}.
 *
 * @throws QuantityError when the field is not a quantity; see {@link parseQuantity}.
 */
export function quantityOf(field: unknown): Quantity {
  if (field === null || field === undefined) return zeroQuantity
  if (typeof field === 'number') return parseQuantity(field)
  if (typeof field !== 'string') throw new QuantityError('BERTH_QUANTITY_FORMAT', JSON.stringify(field))
  const isPlain =
    field !== '' && isVisibleAscii(field.charCodeAt(0)) && isVisibleAscii(field.charCodeAt(field.length - 1))
  return isPlain ? parseQuantity(field) : parseTrimmed(field)
}

function isVisibleAscii(code: number): boolean {
  return code > 32 && code < 127
}
