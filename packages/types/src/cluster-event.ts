import type { ClusterObjectKind, ClusterObjectKinds } from './cluster-objects.ts'
import type { Node } from './node.ts'
import type { ObjectMeta } from './object-meta.ts'
import type { Pod } from './pod.ts'

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

/**
 * A change of an object that filters read besides nodes and pods. A change of a ConfigMap is not an event: it retries the pods
 * that a plugin which reads the ConfigMap has rejected.
 */
export type ObjectEvent = {
  readonly [K in EventKind]: {
    readonly kind: 'object'
    readonly resource: K
    readonly metadata: ObjectMeta
    readonly isDeleted: boolean
    /** The current version of the object, or the last one of a deleted object. */
    readonly object: ClusterObjectKinds[K]
    /** The version before an update. Absent for an object that was added. */
    readonly old?: ClusterObjectKinds[K]
  }
}[EventKind]

type EventKind = Exclude<ClusterObjectKind, 'configMaps'>
