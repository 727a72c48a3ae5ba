import { isDeepStrictEqual } from 'node:util'
import type { ClusterChange } from '@berth/cluster-view'
import { isBound, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { SchedulingQueue } from './scheduling-queue.ts'
import { mayHelpPods } from './cluster-event.ts'

/**
 * Applies one change of the cluster to the queue: adds pending pods of the configured profiles, removes bound, terminal
 * and deleted pods, and requeues the unschedulable pods that the change may help.
 *
 * @param hasProfile - True if a profile has the pod's schedulerName.
 */
export function feedQueue(queue: SchedulingQueue, change: ClusterChange, hasProfile: (pod: Pod) => boolean): void {
  switch (change.kind) {
    case 'pod-added':
      if (hasProfile(change.pod) && isPending(change.pod)) queue.add(change.pod)
      break
    case 'pod-updated':
      if (!hasProfile(change.pod)) break
      if (!isPending(change.pod)) queue.remove(change.pod)
      else if (change.old === undefined) queue.add(change.pod)
      else queue.update(change.pod, isMoreThanStatus(change.old, change.pod))
      break
    case 'pod-deleted':
      if (hasProfile(change.pod)) queue.remove(change.pod)
      break
    case 'node-added':
    case 'node-updated':
    case 'node-deleted':
    case 'object-added':
    case 'object-updated':
    case 'object-deleted':
      break
  }
  if (mayHelpPods(change)) queue.onClusterChange(change)
}

/** Returns whether a pod waits for a node: it is neither bound nor terminal. */
export function isPending(pod: Pod): boolean {
  return !isBound(pod) && !isTerminal(pod)
}

function isMoreThanStatus(old: Pod, pod: Pod): boolean {
  return (
    !isDeepStrictEqual(old.spec, pod.spec) ||
    !isDeepStrictEqual(old.metadata.labels, pod.metadata.labels) ||
    !isDeepStrictEqual(old.metadata.annotations, pod.metadata.annotations)
  )
}
