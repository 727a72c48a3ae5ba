import type { ClusterObjectKind, Node, ObjectMeta, Pod } from '@berth/types'

/** A change of the cluster as it concerns pods that wait to be scheduled. */
export type ClusterEvent =
  | { readonly kind: 'pod-assigned'; readonly pod: Pod }
  | { readonly kind: 'pod-changed'; readonly old: Pod; readonly pod: Pod }
  /** The pod was deleted or ended, so what it held is free. */
  | { readonly kind: 'pod-left'; readonly pod: Pod }
  | { readonly kind: 'node-added'; readonly node: Node }
  | { readonly kind: 'node-changed'; readonly old: Node; readonly node: Node }
  | { readonly kind: 'node-deleted'; readonly node: Node }
  | ObjectEvent

/** A change of an object that filters read besides nodes and pods. */
export interface ObjectEvent {
  readonly kind: 'object'
  readonly resource: ClusterObjectKind
  readonly metadata: ObjectMeta
  readonly isDeleted: boolean
}

/**
 * Returns whether an event may make a pod schedulable that the plugin rejected. A hint may return true too often, which
 * costs an attempt, but never false wrongly, which leaves the pod waiting.
 *
 * @see kubernetes/kubernetes staging/src/k8s.io/kube-scheduler/framework QueueingHintFn (v1.36)
 */
export type QueueingHint = (pod: Pod, event: ClusterEvent) => boolean
