import { isRecord } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { Kind } from './kind.ts'
import type { Vector } from './vector.ts'

/** How Berth did on one vector. */
export type VectorResult =
  | { readonly kind: 'passed'; readonly id: string }
  | { readonly kind: 'failed'; readonly id: string; readonly report: string }

/** JSON with sorted keys, so that two answers can be compared by eye. */
function compactJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (typeof entry === 'bigint') return Number(entry)
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
    return Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Plain JSON, as the vector holds it: no undefined, no null prototypes. */
function asJson(value: unknown): unknown {
  return JSON.parse(compactJson(value) ?? 'null')
}

const MAX_SHOWN = 100
const MAX_LENGTH = 240

/** The paths at which two JSON values differ, with both values; only the deepest ones. */
function differences(expected: unknown, actual: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(expected, actual)) return []
  if (isRecord(expected) && isRecord(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)])
    return [...keys].flatMap((key) =>
      differences(own(expected, key), own(actual, key), path === '' ? key : `${path}.${key}`),
    )
  }
  const show = (value: unknown): string => (value === undefined ? 'nothing' : cut(compactJson(value)))
  return [`  ${path === '' ? '(whole answer)' : path}: expected ${show(expected)}, got ${show(actual)}`]
}

/** Keys may be names that every object has from birth. */
function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

/** Answers one vector and compares. A kind that Berth does not answer fails, and so does an answer that throws. */
export function checkVector({ id, kind, input, expected }: Vector, kinds: ReadonlyMap<string, Kind>): VectorResult {
  const failed = (report: string): VectorResult => ({ kind: 'failed', id, report })
  const known = kinds.get(kind)
  if (known === undefined) {
    return failed(`  kind "${kind}" is not supported; supported are ${[...kinds.keys()].join(', ')}`)
  }
  let answer: unknown
  try {
    answer = known.answer(input)
  } catch (error) {
    return failed(`  the answer threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  const contract = known.contract ?? ((value: unknown): unknown => value)
  const found = differences(asJson(contract(expected, input)), asJson(contract(asJson(answer), input)))
  if (found.length === 0) return { kind: 'passed', id }
  const rest = found.length > MAX_SHOWN ? [`  … and ${found.length - MAX_SHOWN} more differences`] : []
  return failed([...found.slice(0, MAX_SHOWN), ...rest].join('\n'))
}
