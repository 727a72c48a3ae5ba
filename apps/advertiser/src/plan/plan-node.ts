import type { Node } from '@berth/types'
import type { DesiredUnits } from './desired-units.ts'
import { isServedByDevicePlugin, kubeletAmounts, type KubeletAmounts } from './kubelet-amounts.ts'
import type { Change, Conflict, Lowering, NodePlan, NodeStatusPatch } from './node-plan.ts'
import { isOffered, observedAmounts } from './observed-amounts.ts'
import { OWNER_ANNOTATION, writeOwner, type Owner } from './owner.ts'
import { ADVERTISED_ANNOTATION, readRecord, writeOwnership } from './ownership.ts'
import type { NodeUse } from './resource-use.ts'
import { isStaleZero } from './stale-zeros.ts'

/** Resources to take over: `unowned` resources that a node already offers, or the records of another installation. */
export type Adoption = { readonly kind: 'unowned' } | { readonly kind: 'records'; readonly from: string }

/** Options of {@link planNode}. */
export interface PlanOptions {
  /** Name of this installation. */
  readonly owner: string
  /** Milliseconds since the epoch, for the annotation of a new owner. */
  readonly nowMs: number
  /** Plans only this. Default: plans the difference to the desired amounts, and takes nothing over. */
  readonly adopt?: Adoption
  /** Returns the DeviceClass that has this extended resource name. Default: none. */
  readonly deviceClassOf?: (resourceName: string) => string | undefined
  /** Resources to remove if a device plugin left them at 0, and Berth neither declares nor owns them. Default: none. */
  readonly clear?: ReadonlySet<string>
  /** Units that running pods hold. The plan lowers nothing below it. Default: not considered. */
  readonly use?: NodeUse
  /**
   * Former units of resources that were lowered a short time ago. Pods that were bound at that time may hold them; the plan then
   * raises the resource again. Default: none.
   */
  readonly lowerings?: ReadonlyMap<string, bigint>
  /** Returns whether a change must wait. Such a change is not part of the plan. Default: none waits. */
  readonly mustWait?: (change: Change) => boolean
}

/**
 * Compares the desired amounts of a node with its status, as numbers, and plans one patch that removes the difference.
 * Resources that this installation does not own are left unchanged, unless it adopts them.
 *
 * @param desired - By resource name. A resource that the installation owns and that is missing here is withdrawn.
 */
export function planNode(node: Node, desired: ReadonlyMap<string, DesiredUnits>, options: PlanOptions): NodePlan {
  const { owner, adopt } = options
  const record = readRecord(node)
  if (record.kind === 'unreadable') {
    return nothingToDo(node, undefined, [{ kind: 'unreadable-ownership', reason: record.reason }])
  }
  const recordOwner = record.units.size === 0 ? undefined : record.owner
  if (adopt?.kind === 'records') {
    if (recordOwner?.owner !== adopt.from || adopt.from === owner) return nothingToDo(node, recordOwner, [])
    return assemblePlan(node, { owned: record.units, owner: record.owner, results: [] }, options)
  }
  if (recordOwner !== undefined && recordOwner.owner !== owner) {
    const conflict: Conflict = { kind: 'foreign-owner', owner: recordOwner }
    return nothingToDo(node, recordOwner, desired.size === 0 ? [] : [conflict])
  }
  const context = { node, owned: record.units, kubelet: kubeletAmounts(node), options }
  const names = [
    ...new Set([...desired.keys(), ...record.units.keys(), ...(options.lowerings?.keys() ?? [])]),
  ].toSorted()
  const results = [
    ...names.flatMap((name) => planResource(name, desired.get(name), context) ?? []),
    ...(adopt === undefined ? clearZeros(names, context) : []),
  ]
  return assemblePlan(node, { owned: record.units, owner: record.owner, results }, options)
}

interface PlanContext {
  readonly node: Node
  readonly owned: ReadonlyMap<string, bigint>
  readonly kubelet: KubeletAmounts
  readonly options: PlanOptions
}

/** Plans to remove the resources that a device plugin left at 0, except those that Berth declares or owns. */
function clearZeros(managed: readonly string[], { node, kubelet, options }: PlanContext): readonly ResourceResult[] {
  return [...(options.clear ?? [])]
    .filter((name) => !managed.includes(name) && isStaleZero(node, name, kubelet))
    .map((resourceName) => ({
      change: { kind: 'clear', resourceName, observed: observedAmounts(node, resourceName) },
    }))
}

/** The change of one resource, or the reason for none. */
interface ResourceResult {
  readonly change?: Change
  readonly conflict?: Conflict
  /** The name of a resource whose source has not answered. */
  readonly pending?: string
}

/** Returns undefined when the resource neither changes nor conflicts. */
function planResource(
  resourceName: string,
  desired: DesiredUnits | undefined,
  { node, owned, kubelet, options }: PlanContext,
): ResourceResult | undefined {
  const observed = observedAmounts(node, resourceName)
  const recorded = owned.get(resourceName)
  const hasDevicePlugin = isServedByDevicePlugin(resourceName, observed, { kubelet, recorded })
  if (options.adopt !== undefined && (recorded !== undefined || !isOffered(observed))) return undefined

  const former = options.lowerings?.get(resourceName)
  const heldContext = { recorded, former, use: options.use }
  if (desired === undefined) {
    // Another writer offers the resource by now, or DRA does.
    if (recorded === undefined && (isOffered(observed) || options.deviceClassOf?.(resourceName) !== undefined))
      return undefined
    if (hasDevicePlugin) return { change: { kind: 'record', resourceName, observed, units: undefined } }
    return keepHeld({ kind: 'withdraw', resourceName, observed }, heldContext)
  }
  if (desired.kind === 'pending') return { pending: resourceName }
  if (desired.kind !== 'units') return { conflict: { ...desired, resourceName } }

  const { units } = desired
  const deviceClass = options.deviceClassOf?.(resourceName)
  if (deviceClass !== undefined) return { conflict: { kind: 'device-class', resourceName, deviceClass } }
  if (hasDevicePlugin) return { conflict: { kind: 'device-plugin', resourceName, observed, desired: units } }
  if (recorded === undefined && isOffered(observed) && options.adopt === undefined) {
    return { conflict: { kind: 'foreign', resourceName, observed, desired: units } }
  }
  if (observed.capacity !== units || observed.allocatable !== units || (former ?? 0n) > units) {
    const change: Change = { kind: 'set', resourceName, observed, units, isDrift: recorded === units }
    return keepHeld(change, heldContext)
  }
  return recorded === units ? undefined : { change: { kind: 'record', resourceName, observed, units } }
}

function loweredResources(
  changes: readonly Change[],
  owned: ReadonlyMap<string, bigint>,
  former: ReadonlyMap<string, bigint> | undefined,
): ReadonlyMap<string, Lowering> {
  return new Map(
    changes.flatMap((change): [string, Lowering][] => {
      const { resourceName } = change
      const lowering = loweringOf(change, owned.get(resourceName), former?.get(resourceName))
      return lowering === undefined ? [] : [[resourceName, lowering]]
    }),
  )
}

/**
 * Returns the units that a change lowers a resource from, and to; undefined when it does not lower it. A value that
 * another writer lowered, such as a kubelet's reset, counts from the recorded units, and one that was lowered a short time ago from
 * its former units.
 */
function loweringOf(change: Change, recorded = 0n, former = 0n): Lowering | undefined {
  if (change.kind === 'record') return undefined
  const from = [change.observed.allocatable ?? 0n, recorded, former].reduce((a, b) => (a > b ? a : b))
  const to = change.kind === 'set' ? change.units : 0n
  return to < from ? { from, to } : undefined
}

interface HeldContext {
  readonly recorded: bigint | undefined
  readonly former: bigint | undefined
  readonly use: NodeUse | undefined
}

/** Replaces a change that would take units from running pods, or took them a short time ago, by one that keeps what they hold. */
function keepHeld(
  change: Extract<Change, { readonly kind: 'set' | 'withdraw' }>,
  { recorded, former, use }: HeldContext,
): ResourceResult | undefined {
  const { resourceName, observed } = change
  const lowering = loweringOf(change, recorded, former)
  if (use === undefined || lowering === undefined) return { change }
  if (use.kind === 'unknown') return { conflict: { kind: 'unknown', resourceName, reason: use.reason } }
  const held = use.byResource.get(resourceName)
  if (held === undefined || held.units <= lowering.to) return isDone(change, recorded) ? undefined : { change }
  const kept = held.units < lowering.from ? held.units : lowering.from
  const conflict: Conflict = { kind: 'held', resourceName, desired: lowering.to, kept, use: held }
  if (observed.capacity !== kept || observed.allocatable !== kept) {
    return { conflict, change: { kind: 'set', resourceName, observed, units: kept, isDrift: recorded === kept } }
  }
  return recorded === kept
    ? { conflict }
    : { conflict, change: { kind: 'record', resourceName, observed, units: kept } }
}

/** Returns whether the node already is as the change would make it. */
function isDone(change: Change, recorded: bigint | undefined): boolean {
  const { observed } = change
  if (change.kind === 'withdraw') return recorded === undefined && !isOffered(observed)
  if (change.kind !== 'set') return false
  return recorded === change.units && observed.capacity === change.units && observed.allocatable === change.units
}

function nothingToDo(node: Node, owner: Owner | undefined, conflicts: readonly Conflict[]): NodePlan {
  return {
    nodeName: node.metadata.name ?? '',
    resourceVersion: node.metadata.resourceVersion,
    changes: [],
    lowered: new Map(),
    conflicts,
    pending: [],
    delayed: [],
    owner,
    takesOver: false,
    patch: undefined,
    owned: new Map(),
  }
}

/** The record of a node before the patch, and what happens to the resources. */
interface PlanParts {
  readonly owned: ReadonlyMap<string, bigint>
  readonly owner: Owner | undefined
  readonly results: readonly ResourceResult[]
}

function assemblePlan(node: Node, { owned, owner, results }: PlanParts, options: PlanOptions): NodePlan {
  const { mustWait = () => false, adopt } = options
  const conflicts = results.flatMap(({ conflict }) => conflict ?? [])
  const base = nothingToDo(node, owned.size === 0 ? undefined : owner, conflicts)
  const delayed = new Set(
    results.flatMap(({ change }) =>
      change !== undefined && !isDone(change, owned.get(change.resourceName)) && mustWait(change) ? [change] : [],
    ),
  )
  const changes = results.flatMap(({ change }) => (change === undefined || delayed.has(change) ? [] : [change]))
  // Adopting single resources leaves the migration of an older record to the reconciliation.
  if (adopt?.kind === 'unowned' && changes.length === 0) return base
  const isOurs = owner?.owner === options.owner
  const after = ownershipAfter(changes, owned)
  const newOwner = isOurs ? owner : { owner: options.owner, since: new Date(options.nowMs).toISOString() }
  const ownerText = { before: owner === undefined ? null : writeOwner(owner), after: writeOwner(newOwner) }
  const mayRemoveOwner = owned.size > 0 || isOurs
  const annotations = {
    ...changedAnnotation(ADVERTISED_ANNOTATION, writeOwnership(owned), writeOwnership(after)),
    ...(after.size > 0 && changedAnnotation(OWNER_ANNOTATION, ownerText.before, ownerText.after)),
    ...(after.size === 0 && mayRemoveOwner && changedAnnotation(OWNER_ANNOTATION, ownerText.before, null)),
  }
  return {
    ...base,
    changes,
    lowered: loweredResources(changes, owned, options.lowerings),
    pending: results.flatMap(({ pending }) => pending ?? []),
    delayed: [...delayed].map(({ resourceName }) => resourceName),
    takesOver: owned.size > 0 && after.size > 0 && !isOurs,
    patch: buildPatch(changes, annotations),
    owned: after,
  }
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

function changedAnnotation(key: string, before: string | null, after: string | null): Record<string, string | null> {
  return before === after ? {} : { [key]: after }
}

function buildPatch(
  changes: readonly Change[],
  annotations: Readonly<Record<string, string | null>>,
): NodeStatusPatch | undefined {
  const list = Object.fromEntries(
    changes
      .filter(({ kind }) => kind !== 'record')
      .map((change) => [change.resourceName, unitsAfter(change)?.toString() ?? null]),
  )
  const patch = {
    ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }),
    ...(Object.keys(list).length > 0 && { status: { capacity: list, allocatable: list } }),
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

function unitsAfter(change: Change): bigint | undefined {
  return change.kind === 'set' || change.kind === 'record' ? change.units : undefined
}
