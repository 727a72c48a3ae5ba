import type { ClusterObjectKind, ClusterObjectKinds, Node, Pod } from '@berth/types'

/** A change of an object that is neither a node nor a pod; `resource` is its kind. */
export type ObjectChange = {
  readonly [K in ClusterObjectKind]: {
    readonly kind: 'object-added' | 'object-updated' | 'object-deleted'
    readonly resource: K
    readonly object: ClusterObjectKinds[K]
    readonly old?: ClusterObjectKinds[K]
  }
}[ClusterObjectKind]

/** A change of the cluster. Listeners are called after `state` was changed. */
export type ClusterChange =
  | { readonly kind: 'pod-added' | 'pod-updated' | 'pod-deleted'; readonly pod: Pod; readonly old?: Pod }
  | { readonly kind: 'node-added' | 'node-updated' | 'node-deleted'; readonly node: Node; readonly old?: Node }
  | ObjectChange

/** A change of a ConfigMap that a plugin reads. */
export type ConfigMapChange = Extract<ObjectChange, { readonly resource: 'configMaps' }>

/** Returns whether the change is one of a ConfigMap. */
export function isConfigMapChange(change: ClusterChange): change is ConfigMapChange {
  return 'resource' in change && change.resource === 'configMaps'
}
