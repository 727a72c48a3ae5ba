import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesOwnClaim } from '../volume-claims/own-claim-event.ts'

/** A claim may be bound now, or a volume for it may exist or be possible on some node. */
export const volumeBindingHint: QueueingHint = (pod, event) =>
  changesOwnClaim(pod, event) ||
  addsOrChanges(event, 'persistentVolumes', 'storageClasses', 'csiNodes', 'csiDrivers', 'csiStorageCapacities') ||
  changesNodeLabels(event)
