import type { Change, Conflict, Found } from '../plan/plan-node.ts'

/** A conflict as one sentence, with what to do about it. */
export function conflictSentence(conflict: Conflict): string {
  switch (conflict.kind) {
    case 'foreign':
      return (
        `${conflict.resourceName} is not written (${conflict.wanted} declared): the node offers ${shown(conflict.found)} ` +
        'that Berth did not put there; remove it by hand or run with --adopt'
      )
    case 'device-plugin':
      return (
        `${conflict.resourceName} is not written (${conflict.wanted} declared): the kubelet sets it to ` +
        `${shown(conflict.found)} for a device plugin; remove one of the two`
      )
    case 'ambiguous':
      return `${conflict.resourceName} is not written: ${conflict.paths.join(' and ')} all speak of this node; keep one`
    case 'unknown':
      return `${conflict.resourceName} is not written: ${conflict.reason}`
    case 'unreadable-ownership':
      return `nothing is written to this node: ${conflict.reason}; correct or remove the annotation`
  }
}

/** A change as one line of a plan: `example.com/dongle: none -> 4`. */
export function changeSentence(change: Change): string {
  const before = shown(change.found)
  switch (change.kind) {
    case 'set':
      return `${change.resourceName}: ${before} -> ${change.units}${change.isDrift ? ' (drifted)' : ''}`
    case 'withdraw':
      return `${change.resourceName}: ${before} -> none (taken back)`
    case 'record':
      return change.units === undefined
        ? `${change.resourceName}: ${before} stays, a device plugin holds it now`
        : `${change.resourceName}: ${before} stays, recorded as Berth's`
  }
}

/** One number when both are alike, else both. */
export function shown({ capacity, allocatable }: Found): string {
  if (capacity === allocatable) return capacity?.toString() ?? 'none'
  return `capacity ${capacity ?? 'none'}, allocatable ${allocatable ?? 'none'}`
}
