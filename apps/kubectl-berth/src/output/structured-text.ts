import { stringify } from 'yaml'

/** Machine-readable formats of `-o`. */
export type StructuredFormat = 'json' | 'yaml'

/** Formats a value for programs. Integers beyond 2^53 become strings. */
export function structuredText(value: unknown, format: StructuredFormat): string {
  const json = JSON.stringify(value, plain, 2)
  return format === 'json' ? `${json}\n` : stringify(JSON.parse(json))
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
}
