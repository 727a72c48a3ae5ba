import { validateExtendedResourceName, type Node } from '@berth/types'
import { MAX_UNITS } from './declaration.ts'
import { OWNER_ANNOTATION, readOwner, type Owner } from './owner.ts'

/** Node annotation that records what Berth wrote: a JSON object, resource name -> units as a string. */
export const ADVERTISED_ANNOTATION = 'berth.dev/advertised'

/** The record of a node: what Berth wrote, and which installation wrote it. */
export type NodeRecord =
  | {
      readonly kind: 'read'
      readonly units: ReadonlyMap<string, bigint>
      /**
       * undefined for a record of a version of Berth without owners. Such a version removes its record and leaves the
       * owner's annotation, so an owner without units owns nothing.
       */
      readonly owner: Owner | undefined
    }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Reads the record of a node from its annotations. */
export function readRecord(node: Node): NodeRecord {
  const annotations = new Map(Object.entries(node.metadata.annotations ?? {}))
  const ownership = readOwnership(annotations.get(ADVERTISED_ANNOTATION))
  if (ownership.kind === 'unreadable') return ownership
  const { units } = ownership
  const owner = readOwner(annotations.get(OWNER_ANNOTATION))
  if (owner !== 'unreadable') return { kind: 'read', units, owner }
  if (units.size === 0) return { kind: 'read', units, owner: undefined }
  return { kind: 'unreadable', reason: `annotation ${OWNER_ANNOTATION} does not name an owner` }
}

/**
 * The parsed annotation. `unreadable` means that Berth did not write it, so Berth owns nothing on that node for
 * certain.
 */
export type Ownership =
  | { readonly kind: 'read'; readonly units: ReadonlyMap<string, bigint> }
  | { readonly kind: 'unreadable'; readonly reason: string }

/**
 * Parses the ownership annotation. One invalid entry makes the whole annotation unreadable: the annotation decides
 * what is removed from a node, so a user who writes `cpu` into it must not cause cpu to be removed.
 *
 * @param text - The annotation's value. A node without the annotation (undefined) has nothing that Berth owns.
 */
export function readOwnership(text: string | undefined): Ownership {
  if (text === undefined) return { kind: 'read', units: new Map() }
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return unreadable('is not a JSON object')
  const units = new Map<string, bigint>()
  for (const [name, value] of Object.entries(parsed)) {
    const reason = validateExtendedResourceName(name)
    if (reason !== undefined) return unreadable(`names "${name}", which is not an extended resource: ${reason}`)
    const amount = readUnits(value)
    if (amount === undefined) return unreadable(`gives ${name} a value that is not a whole number from 0 to 2^63-1`)
    units.set(name, amount)
  }
  return { kind: 'read', units }
}

/**
 * Formats the annotation's value, sorted by name so that equal ownership results in equal text.
 *
 * @returns null when Berth owns nothing: a merge patch then removes the annotation.
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
