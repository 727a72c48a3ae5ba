import type { ObjectMeta } from '@berth/types'
import {
  type EventTopic,
  NODE_ADDED,
  NODE_DELETED,
  NODE_LABELS,
  NODE_TAINTS,
  NODE_ALLOCATABLE,
  NODE_FEATURES,
  POD_PLACEMENT,
  POD_LEFT,
  nodeLabelTopic,
  podPlacementTopic,
  objectTopic,
  objectDeletedTopic,
  claimTopic,
} from '../framework/event-topic.ts'
import type { ClusterEvent } from '../framework/queueing-hint.ts'
import { isEqualJson } from '../plugins/cluster-events/is-equal-json.ts'
import { changesNodeLabels, changesNodeTaints } from '../plugins/cluster-events/node-events.ts'
import { changesPodPlacement } from '../plugins/cluster-events/pod-events.ts'

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
