import type { PersistentVolume, Pod } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesNamedClaim } from '../volume-claims/own-claim-event.ts'
import { zonesOf } from './zones.ts'
import { type EventTopic, NODE_ADDED, NODE_LABELS, objectTopic, ownClaimTopics } from '../../framework/event-topic.ts'

/**
 * Returns whether the zone of a volume or of a node may have changed, a claim that the pod names changed, or a storage
 * class was added whose claims wait for their first consumer.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumezone/volume_zone.go EventsToRegister (v1.36)
 */
export const volumeZoneHint: QueueingHint = (pod, event) => {
  if (changesNodeLabels(event) || changesNamedClaim(pod, event)) return true
  if (addsOrChanges(event, 'persistentVolumes')) return event.old === undefined || !isSameZones(event.old, event.object)
  if (!addsOrChanges(event, 'storageClasses')) return false
  return event.old === undefined && event.object.volumeBindingMode === 'WaitForFirstConsumer'
}

function isSameZones(old: PersistentVolume, volume: PersistentVolume): boolean {
  const [zones, oldZones] = [zonesOf(volume), zonesOf(old)]
  return (
    zones.length === oldZones.length &&
    zones.every(({ label, values }, i) => {
      const before = oldZones[i]
      return before?.label === label && values.size === before.values.size && values.isSubsetOf(before.values)
    })
  )
}

/** Topics of the events that the hint accepts. */
export function volumeZoneTopics(pod: Pod): readonly EventTopic[] {
  const volumes = [objectTopic('persistentVolumes'), objectTopic('storageClasses')]
  return [NODE_ADDED, NODE_LABELS, ...volumes, ...ownClaimTopics(pod)]
}
