import type { ClusterEvent, Pod } from '@berth/types'

export type { ClusterEvent } from '@berth/types'

/**
 * Returns whether an event may make a pod schedulable that the plugin rejected. A hint may return true too often, which
 * costs an attempt, but never false wrongly, which leaves the pod waiting.
 *
 * @see kubernetes/kubernetes staging/src/k8s.io/kube-scheduler/framework QueueingHintFn (v1.36)
 */
export type QueueingHint = (pod: Pod, event: ClusterEvent) => boolean
