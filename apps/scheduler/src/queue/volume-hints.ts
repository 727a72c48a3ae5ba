import type { ClusterObjectKind, Pod } from '@berth/types'
import type { Hint, WakingEvent } from './waking-event.ts'

/** An object of the kind came or changed. */
function isNew(event: WakingEvent, ...kinds: readonly ClusterObjectKind[]): boolean {
  return event.kind === 'object' && event.change.kind !== 'object-deleted' && kinds.includes(event.change.resource)
}

/** A claim that the pod uses came or changed. */
export function isOwnClaim({ metadata, spec }: Pod, event: WakingEvent): boolean {
  if (event.kind !== 'object' || event.change.resource !== 'persistentVolumeClaims') return false
  const { namespace, name } = event.change.object.metadata
  if (event.change.kind === 'object-deleted' || namespace !== metadata.namespace) return false
  return (spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined && `${metadata.name}-${volume.name}` === name),
  )
}

/** What helps a pod that VolumeBinding turned away; labels of nodes besides. */
export const claimsAndVolumes: Hint = (pod, event) =>
  isOwnClaim(pod, event) ||
  isNew(event, 'persistentVolumes', 'storageClasses', 'csiNodes', 'csiDrivers', 'csiStorageCapacities')

/** What helps a pod that VolumeZone turned away; labels of nodes besides. */
export const zonedVolumes: Hint = (pod, event) =>
  isOwnClaim(pod, event) || isNew(event, 'persistentVolumes', 'storageClasses')

/** What helps a pod that VolumeRestrictions turned away. */
export const exclusiveVolumes: Hint = (pod, event) =>
  event.kind === 'pod-left' || event.kind === 'node-added' || isOwnClaim(pod, event)

/** What helps a pod that NodeVolumeLimits turned away: fewer attachments, or a node that takes more. */
export const attachableVolumes: Hint = (pod, event) => {
  const isDetached =
    event.kind === 'object' && event.change.kind === 'object-deleted' && event.change.resource === 'volumeAttachments'
  return isDetached || event.kind === 'pod-left' || isNew(event, 'csiNodes', 'csiDrivers') || isOwnClaim(pod, event)
}
