import type { CsiNode, Pod, VolumeAttachment } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { inlineHandle, inTreePluginOf } from '../csi-migration/in-tree-plugins.ts'
import { addsOwnClaim } from '../volume-claims/own-claim-event.ts'
import {
  type EventTopic,
  objectDeletedTopic,
  objectTopic,
  ownClaimTopics,
  POD_LEFT,
} from '../../framework/event-topic.ts'

/**
 * Returns whether a volume may have been detached, or a node may accept more volumes. Like upstream, the hint ignores
 * that a driver no longer reports a limit.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodevolumelimits/csi.go EventsToRegister (v1.36)
 */
export const nodeVolumeLimitsHint: QueueingHint = (pod, event) => {
  if (event.kind === 'pod-left') return usesAttachments(event.pod)
  if (addsOrChanges(event, 'csiNodes')) return raisesLimit(event.old, event.object)
  if (event.kind === 'object' && event.resource === 'volumeAttachments') {
    return event.isDeleted && mayNeed(pod, event.object)
  }
  return addsOwnClaim(pod, event)
}

/** Returns whether a volume of the pod may count towards a limit. */
function usesAttachments({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim != null || volume.ephemeral != null || inTreePluginOf(volume) !== undefined,
  )
}

/** Returns whether the limit of a driver grew. An absent limit counts as 0, as upstream. */
function raisesLimit(old: CsiNode | undefined, { spec }: CsiNode): boolean {
  if (old === undefined) return true
  const before = new Map((old.spec.drivers ?? []).map(({ name, allocatable }) => [name, allocatable?.count ?? 0]))
  return (spec.drivers ?? []).some(({ name, allocatable }) => (allocatable?.count ?? 0) > (before.get(name) ?? 0))
}

/** Returns whether the pod may need the room of a volume that was detached. */
function mayNeed({ spec }: Pod, attachment: VolumeAttachment): boolean {
  return (spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim != null) return true
    const plugin = inTreePluginOf(volume)
    if (plugin === undefined) return false
    return plugin.driver === attachment.spec.attacher || inlineHandle(plugin, volume)?.kind === 'problem'
  })
}

/** Topics of the events that the hint accepts. */
export function nodeVolumeLimitsTopics(pod: Pod): readonly EventTopic[] {
  return [POD_LEFT, objectDeletedTopic('volumeAttachments'), objectTopic('csiNodes'), ...ownClaimTopics(pod)]
}
