import type { Change, Conflict, NodePlan } from '../plan/node-plan.ts'
import type { ObservedAmounts } from '../plan/observed-amounts.ts'

/** Maximum number of pods that a conflict names. */
const MAX_NAMED_PODS = 5

/** Describes a conflict in one sentence that says how to resolve it. */
export function describeConflict(conflict: Conflict): string {
  switch (conflict.kind) {
    case 'foreign':
      return (
        `${conflict.resourceName} is not written (${conflict.desired} declared): the node already offers ` +
        `${describeAmounts(conflict.observed)}, which Berth did not write; remove it by hand, or take it over with the command adopt`
      )
    case 'device-plugin':
      return (
        `${conflict.resourceName} is not written (${conflict.desired} declared): the kubelet sets it to ` +
        `${describeAmounts(conflict.observed)} for a device plugin; remove the device plugin or the declaration`
      )
    case 'device-class':
      return (
        `${conflict.resourceName} is not written: DeviceClass ${conflict.deviceClass} has this extended resource name, ` +
        'so that a DRA driver serves it; remove the declaration, or spec.extendedResourceName of the DeviceClass'
      )
    case 'held':
      return describeHeld(conflict)
    case 'ambiguous':
      return `${conflict.resourceName} is not written: ${conflict.paths.join(' and ')} all select this node; keep one`
    case 'unknown':
      return `${conflict.resourceName} is not written: ${conflict.reason}`
    case 'foreign-owner':
      return (
        `nothing is written to this node: its resources belong to the installation ${conflict.owner.owner} since ` +
        `${conflict.owner.since}; remove the node from one of the two configurations, or take the resources over with ` +
        `adopt --from ${conflict.owner.owner}`
      )
    case 'unreadable-ownership':
      return `nothing is written to this node: ${conflict.reason}; correct or remove the annotation`
  }
}

function describeHeld({ resourceName, desired, kept, use }: Conflict & { readonly kind: 'held' }): string {
  const more = use.pods.length > MAX_NAMED_PODS ? ', …' : ''
  const pods = `${use.pods.slice(0, MAX_NAMED_PODS).join(', ')}${more}`
  return `${resourceName} stays at ${kept} instead of ${desired}: running pods hold ${use.units} (${pods}); it is lowered when they end`
}

/** Describes who owned the record of a node before: `owner: berth-system/berth-advertiser -> lab/berth-advertiser`. */
export function describeTakeover({ owner }: NodePlan): string {
  return owner === undefined
    ? 'owner: none -> this installation (recorded by an earlier version)'
    : `owner: ${owner.owner} -> this installation`
}

/** Formats a change as one line of a plan: `example.com/dongle: none -> 4`. */
export function describeChange(change: Change): string {
  const before = describeAmounts(change.observed)
  switch (change.kind) {
    case 'set':
      return `${change.resourceName}: ${before} -> ${change.units}${change.isDrift ? ' (drifted)' : ''}`
    case 'withdraw':
      return `${change.resourceName}: ${before} -> none (withdrawn)`
    case 'clear':
      return `${change.resourceName}: ${before} -> none (left behind by a device plugin)`
    case 'record':
      return change.units === undefined
        ? `${change.resourceName}: ${before} stays, now owned by a device plugin`
        : `${change.resourceName}: ${before} stays, now owned by Berth`
  }
}

/** Returns one number when capacity and allocatable are equal, and both otherwise. */
function describeAmounts({ capacity, allocatable }: ObservedAmounts): string {
  if (capacity === allocatable) return capacity?.toString() ?? 'none'
  return `capacity ${capacity ?? 'none'}, allocatable ${allocatable ?? 'none'}`
}
