import type { ExtendedResource } from '@berth/types'
import { toNodeSelection } from '../../config/to-declarations.ts'
import type { Declaration } from '../../plan/declaration.ts'
import { OWNER_ANNOTATION, readOwner } from '../../plan/owner.ts'
import { toSourceAmount } from '../../sources/source-options.ts'
import { FINALIZER } from '../definition/object-api.ts'
import { specSchema, type CheckedSpec } from '../definition/spec-schema.ts'
import type { AllowedNames } from './allowed-names.ts'
import { sourceRefusal } from './allowed-sources.ts'

/** An object as this installation reads it. */
export type ReadObject =
  | { readonly kind: 'declares'; readonly declaration: Declaration }
  /** It declares nothing. What it declared before is withdrawn. */
  | { readonly kind: 'refused'; readonly reason: 'NotAllowed' | 'Invalid'; readonly message: string }
  /** It was deleted and waits for its finalizer. What it declared is withdrawn. */
  | { readonly kind: 'deleted' }
  /** Another installation has claimed it, and this one leaves it alone. */
  | { readonly kind: 'foreign'; readonly owner: string }

/** Options of {@link readObject}. */
export interface ReadObjectOptions {
  /** Name of this installation. */
  readonly owner: string
  readonly allowed: AllowedNames
  /** Objects need no finalizer. Default: false. */
  readonly needsNoClaim?: boolean
}

/** Reads one object. An object that this installation has not claimed declares an amount that is not known yet. */
export function readObject(object: ExtendedResource, { owner, allowed, needsNoClaim }: ReadObjectOptions): ReadObject {
  const claimant = claimantOf(object)
  if (claimant !== undefined && claimant !== owner) return { kind: 'foreign', owner: claimant }
  if (object.metadata.deletionTimestamp !== undefined) return { kind: 'deleted' }
  const parsed = specSchema.safeParse(object.spec)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = ['spec', ...(issue?.path ?? [])].join('.')
    return { kind: 'refused', reason: 'Invalid', message: `${path}: ${issue?.message ?? 'it cannot be read'}` }
  }
  const spec = parsed.data
  const refusal =
    allowed.refusal(spec.resourceName) ?? (spec.source === undefined ? undefined : sourceRefusal(spec.source.plugin))
  if (refusal !== undefined) return { kind: 'refused', reason: 'NotAllowed', message: refusal }
  return {
    kind: 'declares',
    declaration: toDeclaration(object, spec, needsNoClaim === true || isClaimed(object, owner)),
  }
}

/** Returns whether an object has the finalizer and names this installation as its owner. */
export function isClaimed(object: ExtendedResource, owner: string): boolean {
  return claimantOf(object) === owner && hasFinalizer(object)
}

/** Returns whether an object has the finalizer, of whichever installation. */
export function hasFinalizer({ metadata }: ExtendedResource): boolean {
  return (metadata.finalizers ?? []).includes(FINALIZER)
}

/** Returns the installation that has claimed an object; undefined without one. */
export function claimantOf({ metadata }: ExtendedResource): string | undefined {
  const owner = readOwner(new Map(Object.entries(metadata.annotations ?? {})).get(OWNER_ANNOTATION))
  return owner === undefined || owner === 'unreadable' ? undefined : owner.owner
}

function toDeclaration({ metadata }: ExtendedResource, spec: CheckedSpec, mayWrite: boolean): Declaration {
  const { name = '', creationTimestamp } = metadata
  return {
    path: `${displayName(name)}: spec`,
    origin: {
      kind: 'object',
      name,
      precedence: spec.precedence,
      createdAtMs: Date.parse(creationTimestamp ?? '') || 0,
    },
    resourceName: spec.resourceName,
    nodes: toNodeSelection(spec.nodes),
    amount: !mayWrite
      ? { kind: 'unclaimed' }
      : spec.source === undefined
        ? { kind: 'units', units: BigInt(spec.units ?? 0) }
        : toSourceAmount(spec.source),
  }
}

/** Returns the name of an object in messages, as kubectl writes it. */
export function displayName(name: string): string {
  return `extendedresources/${name}`
}
