import { stringify } from 'yaml'

/** Formats of -o that programs read. */
export type StructuredFormat = 'json' | 'yaml'

/** A value for programs. Counts beyond 2^53 become text, all others numbers. */
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
