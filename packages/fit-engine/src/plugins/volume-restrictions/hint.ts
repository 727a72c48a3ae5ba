import type { Pod } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { addsNamedClaim } from '../volume-claims/own-claim-event.ts'
import { isConflict, requestedDisks } from './disks.ts'
import { type EventTopic, NODE_ADDED, ownClaimTopics, POD_LEFT } from '../../framework/event-topic.ts'

const disksOf = cachedByPod(requestedDisks)
const claimNamesOf = cachedByPod(
  ({ spec }: Pod): ReadonlySet<string> =>
    new Set((spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])),
)

/**
 * Returns whether a disk or a ReadWriteOncePod claim of the pod may have been released, a node was added, or a claim
 * that the pod names was added. Like upstream, the hint ignores a disk that a pod of another namespace releases.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go EventsToRegister (v1.36)
 */
export const volumeRestrictionsHint: QueueingHint = (pod, event) => {
  if (event.kind === 'pod-left') return isReleasedBy(pod, event.pod)
  return event.kind === 'node-added' || addsNamedClaim(pod, event)
}

function isReleasedBy(pod: Pod, gone: Pod): boolean {
  if (gone.metadata.namespace !== pod.metadata.namespace) return false
  const [disks, claims] = [disksOf(pod), claimNamesOf(pod)]
  return (gone.spec.volumes ?? []).some(
    (volume) =>
      isConflict(volume, disks) ||
      (volume.persistentVolumeClaim != null && claims.has(volume.persistentVolumeClaim.claimName)),
  )
}

/** Topics of the events that the hint accepts. */
export function volumeRestrictionsTopics(pod: Pod): readonly EventTopic[] {
  return [NODE_ADDED, POD_LEFT, ...ownClaimTopics(pod)]
}
