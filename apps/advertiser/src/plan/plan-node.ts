import { parseQuantity } from '@berth/resources'
import type { Node, ResourceList } from '@berth/types'
import type { DesiredUnits } from './desired-units.ts'
import { kubeletManagedCapacity } from './kubelet-managed-capacity.ts'
import { ADVERTISED_ANNOTATION, readOwnership, writeOwnership } from './ownership.ts'

/** The amounts of one resource in a node's status, in whole units; undefined where the status does not list it. */
export interface ObservedAmounts {
  readonly capacity: bigint | undefined
  readonly allocatable: bigint | undefined
}

/** A change to one resource of a node. */
export type Change =
  /** Sets capacity and allocatable to `units`. `isDrift`: Berth wrote that value before and another writer changed it. */
  | {
      readonly kind: 'set'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly units: bigint
      readonly isDrift: boolean
    }
  /** Removes the resource from capacity, allocatable and the ownership record. */
  | { readonly kind: 'withdraw'; readonly resourceName: string; readonly observed: ObservedAmounts }
  /** Changes only the ownership record. `units` undefined releases the resource to its current writer. */
  | {
      readonly kind: 'record'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly units: bigint | undefined
    }

/** A declared resource that Berth does not write, and the reason. */
export type Conflict =
  /** The node already offers the resource and Berth did not write it. */
  | {
      readonly kind: 'foreign'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly desired: bigint
    }
  /** Berth wrote the resource, and the kubelet now writes it for a device plugin. */
  | {
      readonly kind: 'device-plugin'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly desired: bigint
    }
  | { readonly kind: 'ambiguous'; readonly resourceName: string; readonly paths: readonly string[] }
  | { readonly kind: 'unknown'; readonly resourceName: string; readonly reason: string }
  /** The ownership annotation cannot be parsed, so nothing is written to this node. */
  | { readonly kind: 'unreadable-ownership'; readonly reason: string }

/** A JSON merge patch (RFC 7386) of a node's status subresource; null removes a key. */
export interface NodeStatusPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> }
  readonly status?: {
    readonly capacity: Readonly<Record<string, string | null>>
    readonly allocatable: Readonly<Record<string, string | null>>
  }
}

/** The changes that bring one node to its desired amounts. */
export interface NodePlan {
  readonly nodeName: string
  /** Version of the node that the plan was made for. The patch is valid for this version only. */
  readonly resourceVersion: string | undefined
  /** Sorted by resource name. Empty when the node matches, except for the conflicts. */
  readonly changes: readonly Change[]
  readonly conflicts: readonly Conflict[]
  /** undefined when there is nothing to write. */
  readonly patch: NodeStatusPatch | undefined
  /** The resources that Berth owns on the node after the patch. */
  readonly owned: ReadonlyMap<string, bigint>
}

/**
 * Compares the desired amounts of a node with its status, as numbers, and plans one patch that removes the difference.
 * Resources that Berth does not own are left unchanged, unless `adopt` is set.
 *
 * @param desired - By resource name. A resource that Berth owns and that is missing here is withdrawn.
 */
export function planNode(
  node: Node,
  desired: ReadonlyMap<string, DesiredUnits>,
  options: { adopt: boolean },
): NodePlan {
  const nodeName = node.metadata.name ?? ''
  const resourceVersion = node.metadata.resourceVersion
  const ownership = readOwnership(new Map(Object.entries(node.metadata.annotations ?? {})).get(ADVERTISED_ANNOTATION))
  if (ownership.kind === 'unreadable') {
    const conflict: Conflict = { kind: 'unreadable-ownership', reason: ownership.reason }
    return { nodeName, resourceVersion, changes: [], conflicts: [conflict], patch: undefined, owned: new Map() }
  }
  const context = { node, owned: ownership.units, kubelet: kubeletManagedCapacity(node), adopt: options.adopt }
  const names = [...new Set([...desired.keys(), ...ownership.units.keys()])].toSorted()
  const plans = names.map((name) => planResource(name, desired.get(name), context))
  const changes = plans.flatMap((plan) => (plan?.change === undefined ? [] : [plan.change]))
  const conflicts = plans.flatMap((plan) => (plan?.conflict === undefined ? [] : [plan.conflict]))
  const owned = ownershipAfter(changes, ownership.units)
  return { nodeName, resourceVersion, changes, conflicts, patch: buildPatch(changes, ownership.units, owned), owned }
}

interface PlanContext {
  readonly node: Node
  readonly owned: ReadonlyMap<string, bigint>
  readonly kubelet: ReadonlySet<string>
  readonly adopt: boolean
}

/** The plan for one resource; undefined when it neither changes nor conflicts. */
type ResourcePlan = { readonly change?: Change; readonly conflict?: Conflict } | undefined

function planResource(resourceName: string, desired: DesiredUnits | undefined, context: PlanContext): ResourcePlan {
  const { node, owned, kubelet, adopt } = context
  const observed = {
    capacity: readAmount(node.status?.capacity, resourceName),
    allocatable: readAmount(node.status?.allocatable, resourceName),
  }
  const recorded = owned.get(resourceName)
  // A kubelet resets capacity to zero; any other number that it writes comes from a device plugin.
  const belongsToDevicePlugin =
    kubelet.has(resourceName) && observed.capacity !== recorded && (observed.capacity ?? 0n) > 0n

  if (desired === undefined) {
    if (belongsToDevicePlugin) return { change: { kind: 'record', resourceName, observed, units: undefined } }
    return { change: { kind: 'withdraw', resourceName, observed } }
  }
  if (desired.kind !== 'units') return { conflict: { ...desired, resourceName } }

  const { units } = desired
  if (recorded === undefined && isOffered(observed) && !adopt) {
    return { conflict: { kind: 'foreign', resourceName, observed, desired: units } }
  }
  if (recorded !== undefined && belongsToDevicePlugin && observed.capacity !== units) {
    return { conflict: { kind: 'device-plugin', resourceName, observed, desired: units } }
  }
  if (observed.capacity !== units || observed.allocatable !== units) {
    return { change: { kind: 'set', resourceName, observed, units, isDrift: recorded === units } }
  }
  return recorded === units ? undefined : { change: { kind: 'record', resourceName, observed, units } }
}

function ownershipAfter(changes: readonly Change[], owned: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const next = new Map(owned)
  for (const change of changes) {
    const units = unitsAfter(change)
    if (units === undefined) next.delete(change.resourceName)
    else next.set(change.resourceName, units)
  }
  return next
}

function buildPatch(
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

function isOffered(observed: ObservedAmounts): boolean {
  return observed.capacity !== undefined || observed.allocatable !== undefined
}

function readAmount(list: ResourceList | undefined, resourceName: string): bigint | undefined {
  const quantity = new Map(Object.entries(list ?? {})).get(resourceName)
  return quantity === undefined ? undefined : parseQuantity(quantity).value()
}
