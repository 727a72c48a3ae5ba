import type { ClusterChange, ClusterView } from '@berth/cluster-view'
import type { Pod } from '@berth/types'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { isPending } from '../queue/feed-queue.ts'
import { podName, podUid } from '../queue/queued-pod.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'

/**
 * Returns whether the pod was deleted, is being deleted, or was bound by another scheduler. An attempt that has waited
 * checks this before it takes room, because {@link releaseLostPod} ends only waits that have begun.
 */
export function isLost(pod: Pod, view: Pick<ClusterView, 'pod'>): boolean {
  const current = view.pod(podName(pod))
  return current === undefined || podUid(current) !== podUid(pod) || !needsNode(current)
}

function needsNode(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isPending(pod)
}

/** Dependencies of {@link releaseLostPod}. */
export interface LostPodParts {
  readonly queue: Pick<SchedulingQueue, 'onClusterChange'>
  readonly waitingPods: Pick<WaitingPodRegistry, 'abandon'>
  /** Nodes of assumed pods that the view does not show bound yet, by uid. Entries of pods that it shows are removed. */
  readonly assumedNodes: Map<string, string>
}

/**
 * Ends the wait of a pod that was deleted, or that another scheduler bound. The deletion of an assumed pod requeues the
 * pods that its room may help, as the deletion of a bound pod does.
 *
 * @see kubernetes/kubernetes pkg/scheduler/eventhandlers.go handleAssumedPodDeletion (v1.36)
 */
export function releaseLostPod(change: ClusterChange, { queue, waitingPods, assumedNodes }: LostPodParts): void {
  if (change.kind !== 'pod-deleted' && change.kind !== 'pod-updated') return
  const { pod } = change
  const uid = podUid(pod)
  const nodeName = assumedNodes.get(uid)
  if (nodeName === undefined) return
  const isDeleted = change.kind === 'pod-deleted'
  if (isDeleted || !needsNode(pod)) waitingPods.abandon(uid)
  // From now on the view shows where the pod is.
  if (isDeleted || !isPending(pod)) assumedNodes.delete(uid)
  if (isDeleted && isPending(pod)) {
    queue.onClusterChange({ kind: 'pod-deleted', pod: { ...pod, spec: { ...pod.spec, nodeName } } })
  }
}
