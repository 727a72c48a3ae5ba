import { nearestName } from '@berth/text/nearest-name'
import type { z } from 'zod'
import { keysAt } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

type Issue = z.core.$ZodIssue

/** Formats a path: `['resources', 0, 'units']` -> `resources[0].units`. Empty for the root. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('')
}

/** One mistake in a document. */
export interface IssueSentence {
  readonly path: readonly PropertyKey[]
  /** Without the path: "expected number, received string". */
  readonly text: string
}

/**
 * Describes the mistakes in a document: one sentence per path, with the nearest known key for an unknown key.
 *
 * @param schema - The schema of the document, for the known keys.
 */
export function issueSentences(issues: readonly Issue[], schema: JsonSchema): readonly IssueSentence[] {
  return withoutConsequences(issues).flatMap((issue) => sentences(issue, schema, []))
}

// A misspelled key also leaves the right one missing, and a number out of its range may also exceed the safe integers.
function withoutConsequences(issues: readonly Issue[]): readonly Issue[] {
  const place = ({ path }: Issue): string => JSON.stringify(path)
  const withUnknownKeys = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(place))
  const isSafeRange = (issue: Issue): boolean => issue.code === 'too_big' && issue.origin === 'int'
  return issues.filter((issue) => {
    if (issue.code === 'custom') return !withUnknownKeys.has(place(issue))
    return !isSafeRange(issue) || !issues.some((other) => other !== issue && place(other) === place(issue))
  })
}

function sentences(issue: Issue, schema: JsonSchema, above: readonly PropertyKey[]): readonly IssueSentence[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: unknownKey(key, keysAt(schema, path)) }))
  }
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue.errors)
    if (branch !== undefined) return branch.flatMap((inner) => sentences(inner, schema, path))
  }
  return [{ path, text: shorten(issue) }]
}

// The alternative that failed deepest inside is the one that was meant.
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (branch: readonly Issue[]): number => Math.max(0, ...branch.map(({ path }) => path.length))
  const [first, ...rest] = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  if (first === undefined || (rest[0] !== undefined && depth(rest[0]) === depth(first))) return undefined
  return first
}

function unknownKey(key: string, names: readonly string[]): string {
  const nearest = nearestName(key, names)
  if (nearest !== undefined) return `no such key; did you mean "${nearest}"?`
  return names.length === 0 || names.length > 12 ? 'no such key' : `no such key; there are ${names.join(', ')}`
}

function shorten(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `it is missing (expected ${issue.expected})`
  }
  const text = issue.message.replace(/^Invalid (?:input|option): /, '').replace(/^Too (?:big|small): /, '')
  return text === 'Invalid input' ? 'not a legal value' : text
}
