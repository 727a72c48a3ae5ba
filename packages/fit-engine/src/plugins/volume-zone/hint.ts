import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesOwnClaim } from '../volume-claims/own-claim-event.ts'

/** The zone of a volume or of a node may have changed. */
export const volumeZoneHint: QueueingHint = (pod, event) =>
  changesOwnClaim(pod, event) || addsOrChanges(event, 'persistentVolumes', 'storageClasses') || changesNodeLabels(event)
