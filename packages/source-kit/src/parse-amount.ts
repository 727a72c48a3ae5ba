import { parseQuantity } from '@berth/resources'

/**
 * `resource.ParseQuantity` (Kubernetes v1.36) without the texts that have no digit, such as `k`, which it reads as 0: in a
 * source they are a mistake, and 0 would withdraw the resource.
 */
const amountPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3})?$/

/**
 * Reads a number, or a Kubernetes quantity such as `32Gi` or `1.5k`, from a text that may have white space around it.
 *
 * @param text - Of any length.
 * @param what - The text in the message: `label example.com/seats`.
 * @returns A whole number without loss of digits, or a fraction as a number.
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
