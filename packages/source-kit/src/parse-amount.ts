import { parseQuantity } from '@berth/resources'

/**
 * The syntax of `resource.ParseQuantity` (Kubernetes v1.36), but with at least one digit. ParseQuantity reads `k` as 0;
 * in a source, such a text is a mistake, and 0 would withdraw the resource.
 */
const amountPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3})?$/

/**
 * Reads a number, or a Kubernetes quantity such as `32Gi` or `1.5k`, from a text that may have white space around it.
 *
 * @param text - A text of more than 64 characters is not a number.
 * @param what - Names the text in the error message, for example `label example.com/seats`.
 * @returns The exact value of a whole number; the nearest float of a fraction.
 * @throws Error `WHAT is "TEXT", not a number`
 */
export function parseAmount(text: string, what: string): number | bigint {
  const trimmed = text.trim()
  if (trimmed.length <= MAX_TEXT_LENGTH && amountPattern.test(trimmed)) {
    const quantity = parseQuantity(trimmed)
    return quantity.wholeNumber() ?? quantity.asApproximateFloat()
  }
  const shown = JSON.stringify(trimmed.length > MAX_SHOWN_LENGTH ? `${trimmed.slice(0, MAX_SHOWN_LENGTH)}…` : trimmed)
  throw new Error(`${what} is ${shown}, not a number`)
}

const MAX_TEXT_LENGTH = 64
const MAX_SHOWN_LENGTH = 60
