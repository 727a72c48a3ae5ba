import { validateExtendedResourceName } from '@berth/resources'
import { MAX_UNITS } from './declaration.ts'

/** Annotation of a node that says what Berth put there: a JSON object, resource name -> units as text. */
export const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

/** What the annotation says. `unreadable`: somebody else wrote it, so nothing on that node is certainly Berth's. */
export type Ownership =
  | { readonly kind: 'read'; readonly units: ReadonlyMap<string, bigint> }
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Reads the ownership annotation. One bad entry makes the whole unreadable: the annotation decides what is
 * removed from a node, and whoever can write `cpu` into it must not get cpu removed.
 *
 * @param text - The annotation's value; undefined where the node has none, which owns nothing.
 */
export function readOwnership(text: string | undefined): Ownership {
  if (text === undefined) return { kind: 'read', units: new Map() }
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return unreadable('is no JSON object')
  const units = new Map<string, bigint>()
  for (const [name, value] of Object.entries(parsed)) {
    const why = validateExtendedResourceName(name)
    if (why !== undefined) return unreadable(`names "${name}", which is no extended resource: ${why}`)
    const amount = readUnits(value)
    if (amount === undefined) return unreadable(`gives ${name} a value that is no count`)
    units.set(name, amount)
  }
  return { kind: 'read', units }
}

/**
 * The annotation's value for what Berth owns, sorted by name, so that equal ownership is equal text.
 *
 * @returns null when nothing is owned: a merge patch then removes the annotation.
 */
export function writeOwnership(units: ReadonlyMap<string, bigint>): string | null {
  if (units.size === 0) return null
  const entries = [...units].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(entries.map(([name, amount]) => [name, amount.toString()])))
}

function readUnits(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  if (typeof value !== 'string' || !/^\d{1,19}$/.test(value)) return undefined
  const amount = BigInt(value)
  return amount <= MAX_UNITS ? amount : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreadable(reason: string): Ownership {
  return { kind: 'unreadable', reason: `annotation ${ADVERTISED_ANNOTATION} ${reason}` }
}
