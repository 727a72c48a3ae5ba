import type { ClusterObjectKind, Pod } from '@berth/types'

/**
 * Text that says what an event is about. A plugin names the topics of the events that may help a pod, so that an event
 * about something else costs nothing for the pod. A plugin's topics must cover every event that may help the pod. They
 * may exclude events that its queueing hint accepts because it knows less.
 */
export type EventTopic = string

export const NODE_ADDED: EventTopic = 'node-added'
export const NODE_DELETED: EventTopic = 'node-deleted'
/** A node has other labels. */
export const NODE_LABELS: EventTopic = 'node-labels'
/** A node has other taints, or was cordoned or uncordoned. */
export const NODE_TAINTS: EventTopic = 'node-taints'
/** A node has another allocatable amount of a resource. */
export const NODE_ALLOCATABLE: EventTopic = 'node-allocatable'
/** A node declares other features. */
export const NODE_FEATURES: EventTopic = 'node-features'
/** A pod came to a node, left one, or got other labels there. */
export const POD_PLACEMENT: EventTopic = 'pod-placement'
/** A pod left its node. */
export const POD_LEFT: EventTopic = 'pod-left'

/** A node has another value for the label, or none any more. */
export const nodeLabelTopic = (key: string): EventTopic => `node-label ${key}`
/** {@link POD_PLACEMENT} of a pod in the namespace. */
export const podPlacementTopic = (namespace = ''): EventTopic => `pod-placement ${namespace}`
/** An object of the kind was added or changed. */
export const objectTopic = (kind: ClusterObjectKind): EventTopic => `object ${kind}`
/** An object of the kind was deleted. */
export const objectDeletedTopic = (kind: ClusterObjectKind): EventTopic => `object-deleted ${kind}`
/** A claim was added or changed. */
export const claimTopic = (namespace = '', name = ''): EventTopic => `claim ${namespace}/${name}`

/** Returns the topics of the claims that the pod uses: each of them was added or changed. */
export function ownClaimTopics({ metadata, spec }: Pod): readonly EventTopic[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => [
    ...(persistentVolumeClaim == null ? [] : [claimTopic(metadata.namespace, persistentVolumeClaim.claimName)]),
    ...(ephemeral === undefined ? [] : [claimTopic(metadata.namespace, `${metadata.name}-${name}`)]),
  ])
}
