import { parseQuantity } from '@berth/resources'
import type { Node, ResourceList } from '@berth/types'
import type { Desired } from './desired-units.ts'
import { kubeletManagedCapacity } from './kubelet-managed-capacity.ts'
import { ADVERTISED_ANNOTATION, readOwnership, writeOwnership } from './ownership.ts'

/** What a node says of one resource, whole units; undefined where it does not name it. */
export interface Found {
  readonly capacity: bigint | undefined
  readonly allocatable: bigint | undefined
}

/** One resource of a node that is to change. */
export type Change =
  /** Both numbers become `units`. `isDrift`: Berth had written them before and somebody else changed them. */
  | {
      readonly kind: 'set'
      readonly resourceName: string
      readonly found: Found
      readonly units: bigint
      readonly isDrift: boolean
    }
  /** Both numbers go, with the ownership. */
  | { readonly kind: 'withdraw'; readonly resourceName: string; readonly found: Found }
  /** Only the ownership record changes: `units` undefined gives the name up to who holds it now. */
  | {
      readonly kind: 'record'
      readonly resourceName: string
      readonly found: Found
      readonly units: bigint | undefined
    }

/** Something declared that Berth does not write, and why. */
export type Conflict =
  /** The node offers the name and Berth did not write it. */
  | { readonly kind: 'foreign'; readonly resourceName: string; readonly found: Found; readonly wanted: bigint }
  /** Berth wrote it, and the kubelet now writes it for a device plugin. */
  | { readonly kind: 'device-plugin'; readonly resourceName: string; readonly found: Found; readonly wanted: bigint }
  | { readonly kind: 'ambiguous'; readonly resourceName: string; readonly paths: readonly string[] }
  | { readonly kind: 'unknown'; readonly resourceName: string; readonly reason: string }
  /** The ownership annotation cannot be read, so nothing is done on this node. */
  | { readonly kind: 'unreadable-ownership'; readonly reason: string }

/** JSON merge patch (RFC 7386) of a node's status sub-resource; null removes. */
export interface NodeStatusPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> }
  readonly status?: {
    readonly capacity: Readonly<Record<string, string | null>>
    readonly allocatable: Readonly<Record<string, string | null>>
  }
}

/** What brings one node to what is declared. */
export interface NodePlan {
  readonly nodeName: string
  /** Of the node that was planned for: the patch holds for this version only. */
  readonly resourceVersion: string | undefined
  /** Sorted by resource name; empty: the node is as declared, save for the conflicts. */
  readonly changes: readonly Change[]
  readonly conflicts: readonly Conflict[]
  /** undefined when there is nothing to write. */
  readonly patch: NodeStatusPatch | undefined
  /** What Berth owns on the node once that is written. */
  readonly owned: ReadonlyMap<string, bigint>
}

/**
 * Compares what a node is to offer with what it says, by number, and plans the one patch that closes the gap.
 * A name that Berth does not own is left alone, unless `adopt` is set.
 *
 * @param desired - By resource name; a name that Berth owns and that is missing here is taken back.
 */
export function planNode(node: Node, desired: ReadonlyMap<string, Desired>, options: { adopt: boolean }): NodePlan {
  const nodeName = node.metadata.name ?? ''
  const resourceVersion = node.metadata.resourceVersion
  const ownership = readOwnership(new Map(Object.entries(node.metadata.annotations ?? {})).get(ADVERTISED_ANNOTATION))
  if (ownership.kind === 'unreadable') {
    const conflict: Conflict = { kind: 'unreadable-ownership', reason: ownership.reason }
    return { nodeName, resourceVersion, changes: [], conflicts: [conflict], patch: undefined, owned: new Map() }
  }
  const context = { node, owned: ownership.units, kubelet: kubeletManagedCapacity(node), adopt: options.adopt }
  const names = [...new Set([...desired.keys(), ...ownership.units.keys()])].toSorted()
  const steps = names.map((name) => planResource(name, desired.get(name), context))
  const changes = steps.flatMap((step) => (step?.change === undefined ? [] : [step.change]))
  const conflicts = steps.flatMap((step) => (step?.conflict === undefined ? [] : [step.conflict]))
  const owned = ownedAfter(changes, ownership.units)
  return { nodeName, resourceVersion, changes, conflicts, patch: patchOf(changes, ownership.units, owned), owned }
}

interface PlanContext {
  readonly node: Node
  readonly owned: ReadonlyMap<string, bigint>
  readonly kubelet: ReadonlySet<string>
  readonly adopt: boolean
}

/** undefined: nothing to do and nothing to say. */
type Step = { readonly change?: Change; readonly conflict?: Conflict } | undefined

function planResource(resourceName: string, desired: Desired | undefined, context: PlanContext): Step {
  const { node, owned, kubelet, adopt } = context
  const found = {
    capacity: amountIn(node.status?.capacity, resourceName),
    allocatable: amountIn(node.status?.allocatable, resourceName),
  }
  const recorded = owned.get(resourceName)
  // Zero is what a kubelet resets to; any other number that it writes is a device plugin's.
  const isDevicePlugins = kubelet.has(resourceName) && found.capacity !== recorded && (found.capacity ?? 0n) > 0n

  if (desired === undefined) {
    if (isDevicePlugins) return { change: { kind: 'record', resourceName, found, units: undefined } }
    return { change: { kind: 'withdraw', resourceName, found } }
  }
  if (desired.kind !== 'units') return { conflict: { ...desired, resourceName } }

  const wanted = desired.units
  if (recorded === undefined && isOffered(found) && !adopt) {
    return { conflict: { kind: 'foreign', resourceName, found, wanted } }
  }
  if (recorded !== undefined && isDevicePlugins && found.capacity !== wanted) {
    return { conflict: { kind: 'device-plugin', resourceName, found, wanted } }
  }
  if (found.capacity !== wanted || found.allocatable !== wanted) {
    return { change: { kind: 'set', resourceName, found, units: wanted, isDrift: recorded === wanted } }
  }
  return recorded === wanted ? undefined : { change: { kind: 'record', resourceName, found, units: wanted } }
}

function ownedAfter(changes: readonly Change[], owned: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const next = new Map(owned)
  for (const change of changes) {
    const units = unitsAfter(change)
    if (units === undefined) next.delete(change.resourceName)
    else next.set(change.resourceName, units)
  }
  return next
}

function patchOf(
  changes: readonly Change[],
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
): NodeStatusPatch | undefined {
  if (changes.length === 0) return undefined
  const annotation = writeOwnership(after)
  const list = Object.fromEntries(
    changes
      .filter(({ kind }) => kind !== 'record')
      .map((change) => [change.resourceName, unitsAfter(change)?.toString() ?? null]),
  )
  return {
    ...(annotation !== writeOwnership(before) && {
      metadata: { annotations: { [ADVERTISED_ANNOTATION]: annotation } },
    }),
    ...(Object.keys(list).length > 0 && { status: { capacity: list, allocatable: list } }),
  }
}

function unitsAfter(change: Change): bigint | undefined {
  return change.kind === 'withdraw' ? undefined : change.units
}

function isOffered(found: Found): boolean {
  return found.capacity !== undefined || found.allocatable !== undefined
}

function amountIn(list: ResourceList | undefined, resourceName: string): bigint | undefined {
  const quantity = new Map(Object.entries(list ?? {})).get(resourceName)
  return quantity === undefined ? undefined : parseQuantity(quantity).value()
}
