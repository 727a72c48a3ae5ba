import type { ClusterObjectKind, ObjectMeta, Pod } from '@berth/types'
import type { ClusterEvent } from '../framework/queueing-hint.ts'
import { isEqualJson } from '../plugins/cluster-events/is-equal-json.ts'
import { changesNodeLabels, changesNodeTaints } from '../plugins/cluster-events/node-events.ts'
import { changesPodPlacement } from '../plugins/cluster-events/pod-events.ts'

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
const claimTopic = (namespace = '', name = ''): EventTopic => `claim ${namespace}/${name}`

/** Returns the topics of the claims that the pod uses: each of them was added or changed. */
export function ownClaimTopics({ metadata, spec }: Pod): readonly EventTopic[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => [
    ...(persistentVolumeClaim == null ? [] : [claimTopic(metadata.namespace, persistentVolumeClaim.claimName)]),
    ...(ephemeral === undefined ? [] : [claimTopic(metadata.namespace, `${metadata.name}-${name}`)]),
  ])
}

/** Returns the topics of an event; empty for a change that no built-in plugin reads, such as a node's heartbeat. */
export function eventTopics(event: ClusterEvent): readonly EventTopic[] {
  switch (event.kind) {
    case 'node-added':
      return [NODE_ADDED]
    case 'node-deleted':
      return [NODE_DELETED]
    case 'node-changed': {
      const { old, node } = event
      const topics: EventTopic[] = []
      if (changesNodeLabels(event)) topics.push(NODE_LABELS, ...changedLabels(old.metadata, node.metadata))
      if (changesNodeTaints(event)) topics.push(NODE_TAINTS)
      if (!isEqualJson(old.status?.allocatable, node.status?.allocatable)) topics.push(NODE_ALLOCATABLE)
      if (!isEqualJson(old.status?.declaredFeatures, node.status?.declaredFeatures)) topics.push(NODE_FEATURES)
      return topics
    }
    case 'pod-assigned':
    case 'pod-left':
    case 'pod-changed': {
      if (!changesPodPlacement(event)) return []
      const topics = [POD_PLACEMENT, podPlacementTopic(event.pod.metadata.namespace)]
      return event.kind === 'pod-left' ? [...topics, POD_LEFT] : topics
    }
    case 'object': {
      const { resource, metadata, isDeleted } = event
      if (isDeleted) return [objectDeletedTopic(resource)]
      const isClaim = resource === 'persistentVolumeClaims'
      return [objectTopic(resource), ...(isClaim ? [claimTopic(metadata.namespace, metadata.name)] : [])]
    }
  }
}

function changedLabels(old: ObjectMeta, { labels = {} }: ObjectMeta): readonly EventTopic[] {
  const before = old.labels ?? {}
  const keys = new Set([...Object.keys(before), ...Object.keys(labels)])
  return [...keys].filter((key) => before[key] !== labels[key]).map(nodeLabelTopic)
}
