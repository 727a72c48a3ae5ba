import type { ClusterChange } from '@berth/cluster-view'
import { isBound, isTerminal } from '@berth/resources'
import type { Pod } from '@berth/types'
import { podUid } from '../queue/queued-pod.ts'

/**
 * The pods that a scheduler bound, as opposed to pods that were created with `spec.nodeName`, which needs no permission
 * beyond creating pods.
 */
export interface BoundPods {
  /** Applies a change of a pod. Returns whether a scheduler bound the pod. */
  observe(change: Extract<ClusterChange, { readonly pod: Pod }>): boolean
}

/** Creates an empty set. Pods that are terminal or deleted are forgotten after the change that shows it. */
export function createBoundPods(): BoundPods {
  const bound = new Set<string>()
  return {
    observe({ kind, pod, old }) {
      const uid = podUid(pod)
      const wasBound = isBound(pod) && (bound.has(uid) || isEvidence(old) || isEvidence(pod))
      if (kind === 'pod-deleted' || isTerminal(pod)) bound.delete(uid)
      else if (wasBound) bound.add(uid)
      return wasBound
    },
  }
}

/**
 * Returns whether this version shows that the pod has its node from the binding subresource. There are two kinds of
 * evidence. The pod had no node before. Or it has the condition that the API server sets with a bind, before the kubelet,
 * which sets the same condition later, has reported. The second kind also works after a restart.
 */
function isEvidence(pod: Pod | undefined): boolean {
  if (pod === undefined) return false
  if (!isBound(pod)) return true
  const { startTime, conditions = [] } = pod.status ?? {}
  return startTime === undefined && conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'True')
}
