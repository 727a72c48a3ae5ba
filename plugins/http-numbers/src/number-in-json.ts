import { fillNodeName } from '@berth/source-kit/node-placeholder'
import { parseAmount } from '@berth/source-kit/parse-amount'

/**
 * Returns the value at a JSON pointer (RFC 6901), in which `{node}` stands for the name of the node.
 *
 * @throws Error if there is no such value.
 */
export function valueAt(body: unknown, pointer: string, nodeName: string): unknown {
  const filled = fillNodeName(pointer, nodeName)
  let value = body
  for (const part of filled.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      throw new Error(`the answer has no ${filled}`)
    }
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}

/**
 * Returns a number, or the number in a text.
 *
 * @throws Error for any other value.
 */
export function numberIn(value: unknown, what: string): number | bigint {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return parseAmount(value, what)
  throw new Error(`${what} is ${kindOf(value)}, not a number`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Returns the time in a value: seconds since the epoch, or a text such as 2026-01-31T12:00:00Z.
 *
 * @returns Milliseconds since the epoch.
 * @throws Error for any other value.
 */
export function timeIn(value: unknown, what: string): number {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isFinite(ms)) return ms
  throw new Error(`${what} is not a time: expected seconds since 1970, or a text such as 2026-01-31T12:00:00Z`)
}
