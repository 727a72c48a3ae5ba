import { isRecord } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { VectorKind } from './vector-kind.ts'
import type { Vector } from './vector.ts'

/** The result of checking one vector. */
export type VectorResult =
  | { readonly kind: 'passed'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly report: string }

/** Formats JSON with sorted keys, so that two answers can be compared by eye. */
function compactJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (typeof entry === 'bigint') return Number(entry)
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
    return Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Converts to plain JSON as in a vector, without undefined and null prototypes. */
function toPlainJson(value: unknown): unknown {
  return JSON.parse(compactJson(value) ?? 'null')
}

const MAX_SHOWN = 100
const MAX_LENGTH = 240

/** Lists the deepest paths at which two JSON values differ, with both values. */
function differences(expected: unknown, actual: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(expected, actual)) return []
  if (isRecord(expected) && isRecord(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...keys].flatMap((key) =>
      differences(ownValue(expected, key), ownValue(actual, key), path === '' ? key : `${path}.${key}`),
    )
  }
  const show = (value: unknown): string => (value === undefined ? 'nothing' : shorten(compactJson(value)))
  return [`  ${path === '' ? '(whole answer)' : path}: expected ${show(expected)}, got ${show(actual)}`]
}

/** Reads an own property only: a key may have the name of an inherited one, such as `constructor`. */
function ownValue(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

/** Computes Berth's answer to one vector and compares it. An unsupported kind and an answer that throws fail. */
export function checkVector(
  { id, kind, input, expected }: Vector,
  kinds: ReadonlyMap<string, VectorKind>,
): VectorResult {
  const failed = (report: string): VectorResult => ({ kind: 'failed', id, report })
  const known = kinds.get(kind)
  if (known === undefined) {
    return failed(`  kind "${kind}" is not supported; supported are ${[...kinds.keys()].join(', ')}`)
  }
  let answer: unknown
  try {
    answer = known.answer(input)
  } catch (error) {
    return failed(
      `  computing the answer threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    )
  }
  const contract = known.comparable ?? ((value: unknown): unknown => value)
  const found = differences(toPlainJson(contract(expected, input)), toPlainJson(contract(toPlainJson(answer), input)))
  if (found.length === 0) return { kind: 'passed', id }
  const rest = found.length > MAX_SHOWN ? [`  … and ${found.length - MAX_SHOWN} more differences`] : []
  return failed([...found.slice(0, MAX_SHOWN), ...rest].join('\n'))
}
