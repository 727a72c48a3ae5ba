import type { Pod } from '@berth/types'
import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'

/** Returns whether a claim that the pod uses was added or changed. */
export function changesOwnClaim({ metadata, spec }: Pod, event: ClusterEvent): boolean {
  if (event.kind !== 'object' || !addsOrChanges(event, 'persistentVolumeClaims')) return false
  const { namespace, name } = event.metadata
  if (namespace !== metadata.namespace) return false
  return (spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined && `${metadata.name}-${volume.name}` === name),
  )
}
