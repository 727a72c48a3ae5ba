import { escapeUnprintable, isUnprintable } from '@berth/text/printable'
import { Document, visit } from 'yaml'

/** Machine-readable formats of `-o`. */
export type StructuredFormat = 'json' | 'yaml'

/** Formats a value for programs. Integers beyond 2^53 become strings; control and bidi characters are escaped. */
export function structuredText(value: unknown, format: StructuredFormat): string {
  const json = JSON.stringify(value, plain, 2)
  return escapeUnprintable(format === 'json' ? `${json}\n` : yamlText(JSON.parse(json)))
}

function yamlText(value: unknown): string {
  const document = new Document(value)
  visit(document, {
    // Only double-quoted strings know escapes.
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && isUnprintable(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ doubleQuotedAsJSON: true })
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
}
