import type { Change, Conflict, ObservedAmounts } from '../plan/plan-node.ts'

/** Describes a conflict in one sentence that says how to resolve it. */
export function describeConflict(conflict: Conflict): string {
  switch (conflict.kind) {
    case 'foreign':
      return (
        `${conflict.resourceName} is not written (${conflict.desired} declared): the node already offers ` +
        `${describeAmounts(conflict.observed)}, which Berth did not write; remove it by hand or run with --adopt`
      )
    case 'device-plugin':
      return (
        `${conflict.resourceName} is not written (${conflict.desired} declared): the kubelet sets it to ` +
        `${describeAmounts(conflict.observed)} for a device plugin; remove the device plugin or the declaration`
      )
    case 'ambiguous':
      return `${conflict.resourceName} is not written: ${conflict.paths.join(' and ')} all select this node; keep one`
    case 'unknown':
      return `${conflict.resourceName} is not written: ${conflict.reason}`
    case 'unreadable-ownership':
      return `nothing is written to this node: ${conflict.reason}; correct or remove the annotation`
  }
}

/** Formats a change as one line of a plan: `example.com/dongle: none -> 4`. */
export function describeChange(change: Change): string {
  const before = describeAmounts(change.observed)
  switch (change.kind) {
    case 'set':
      return `${change.resourceName}: ${before} -> ${change.units}${change.isDrift ? ' (drifted)' : ''}`
    case 'withdraw':
      return `${change.resourceName}: ${before} -> none (withdrawn)`
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
