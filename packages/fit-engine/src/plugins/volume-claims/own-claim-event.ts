import type { Pod } from '@berth/types'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { addsOrChanges, isAdded } from '../cluster-events/object-events.ts'
import { claimReferenceOf } from './claim.ts'

/** Returns whether a claim was added or changed that the pod uses, also through an ephemeral volume. */
export function changesOwnClaim(pod: Pod, event: ClusterEvent): boolean {
  if (!addsOrChanges(event, 'persistentVolumeClaims') || !isInNamespaceOf(pod, event)) return false
  return (pod.spec.volumes ?? []).some((volume) => claimReferenceOf(pod, volume)?.name === event.metadata.name)
}

/** Returns whether a claim was added that the pod uses, also through an ephemeral volume. */
export function addsOwnClaim(pod: Pod, event: ClusterEvent): boolean {
  return isAdded(event) && changesOwnClaim(pod, event)
}

/** Returns whether a claim was added or changed that the pod names. */
export function changesNamedClaim(pod: Pod, event: ClusterEvent): boolean {
  if (!addsOrChanges(event, 'persistentVolumeClaims') || !isInNamespaceOf(pod, event)) return false
  return (pod.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === event.metadata.name)
}

/** Returns whether a claim was added that the pod names. */
export function addsNamedClaim(pod: Pod, event: ClusterEvent): boolean {
  return isAdded(event) && changesNamedClaim(pod, event)
}

function isInNamespaceOf({ metadata }: Pod, event: Extract<ClusterEvent, { readonly kind: 'object' }>): boolean {
  return metadata.namespace === event.metadata.namespace
}
