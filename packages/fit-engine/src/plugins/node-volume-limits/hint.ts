import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesOwnClaim } from '../volume-claims/own-claim-event.ts'

/** A volume may have been detached, or a node may take more volumes. */
export const nodeVolumeLimitsHint: QueueingHint = (pod, event) => {
  const isDetached = event.kind === 'object' && event.isDeleted && event.resource === 'volumeAttachments'
  return (
    isDetached ||
    event.kind === 'pod-left' ||
    addsOrChanges(event, 'csiNodes', 'csiDrivers') ||
    changesOwnClaim(pod, event)
  )
}
