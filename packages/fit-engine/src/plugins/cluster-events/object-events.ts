import type { ClusterObjectKind } from '@berth/types'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'

type ObjectEvent<K extends ClusterObjectKind> = Extract<ClusterEvent, { readonly kind: 'object'; readonly resource: K }>

/** Returns whether an object of one of the kinds was added or changed. */
export function addsOrChanges<K extends ClusterObjectKind>(
  event: ClusterEvent,
  ...kinds: readonly K[]
): event is ObjectEvent<K> {
  return event.kind === 'object' && !event.isDeleted && (kinds as readonly ClusterObjectKind[]).includes(event.resource)
}

/** Returns whether an object was added. */
export function isAdded(event: ClusterEvent): boolean {
  return event.kind === 'object' && !event.isDeleted && event.old === undefined
}
