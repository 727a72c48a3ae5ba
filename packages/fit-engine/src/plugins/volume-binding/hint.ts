import type { CsiDriver, CsiNode, CsiStorageCapacity, Pod, StorageClass } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { isEqualJson } from '../cluster-events/is-equal-json.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesOwnClaim } from '../volume-claims/own-claim-event.ts'
import { volumeLimitOf } from './provisioning.ts'
import { migratedPluginsOf } from './volume-affinity.ts'
import { type EventTopic, NODE_ADDED, NODE_LABELS, objectTopic, ownClaimTopics } from '../../framework/event-topic.ts'

/**
 * Returns whether a claim of the pod may have been bound, or some node may now have a volume for it or allow to
 * provision one.
 *
 * Like upstream, the hint ignores a CSIDriver that no longer reports capacity, unless the pod has an inline volume of that
 * driver. Such a pod waits for another event or for the periodic flush.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/volume_binding.go EventsToRegister (v1.36)
 */
export const volumeBindingHint: QueueingHint = (pod, event) => {
  if (changesNodeLabels(event) || changesOwnClaim(pod, event)) return true
  if (addsOrChanges(event, 'persistentVolumes')) return true
  if (addsOrChanges(event, 'storageClasses')) return allowsOtherNodes(event.old, event.object)
  if (addsOrChanges(event, 'csiNodes')) return isMigratedOtherwise(event.old, event.object)
  if (addsOrChanges(event, 'csiDrivers')) return endsCapacityChecks(pod, event.old, event.object)
  return addsOrChanges(event, 'csiStorageCapacities') && hasMoreRoom(event.old, event.object)
}

function allowsOtherNodes(old: StorageClass | undefined, { allowedTopologies }: StorageClass): boolean {
  return old === undefined || !isEqualJson(old.allowedTopologies ?? [], allowedTopologies ?? [])
}

function isMigratedOtherwise(old: CsiNode | undefined, csiNode: CsiNode): boolean {
  return old === undefined || migratedPluginsOf(old) !== migratedPluginsOf(csiNode)
}

function endsCapacityChecks({ spec }: Pod, old: CsiDriver | undefined, driver: CsiDriver): boolean {
  if (old?.spec.storageCapacity !== true || driver.spec.storageCapacity === true) return false
  return (spec.volumes ?? []).some(({ csi }) => csi?.driver === driver.metadata.name)
}

function hasMoreRoom(old: CsiStorageCapacity | undefined, pool: CsiStorageCapacity): boolean {
  if (old === undefined) return true
  const [limit, oldLimit] = [volumeLimitOf(pool), volumeLimitOf(old)]
  return limit !== undefined && (oldLimit === undefined || limit > oldLimit)
}

const kinds = ['persistentVolumes', 'storageClasses', 'csiNodes', 'csiDrivers', 'csiStorageCapacities'] as const

/** Topics of the events that the hint accepts. */
export function volumeBindingTopics(pod: Pod): readonly EventTopic[] {
  return [NODE_ADDED, NODE_LABELS, ...kinds.map(objectTopic), ...ownClaimTopics(pod)]
}
