import type { ClusterObjectKind } from '@berth/types'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'

/** Returns whether an object of one of the kinds was added or changed. */
export function addsOrChanges(event: ClusterEvent, ...kinds: readonly ClusterObjectKind[]): boolean {
  return event.kind === 'object' && !event.isDeleted && kinds.includes(event.resource)
}
