import type { Node, Pod } from '@berth/types'
import type { ClusterEvent, QueueingHint } from '../../framework/queueing-hint.ts'
import { type Labels, labelOf } from '../../selectors/label-requirement.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { isEqualJson } from '../cluster-events/is-equal-json.ts'
import { changesNodeLabels, changesNodeTaints } from '../cluster-events/node-events.ts'
import { changesPodPlacement } from '../cluster-events/pod-events.ts'
import {
  type EventTopic,
  NODE_ADDED,
  NODE_DELETED,
  NODE_LABELS,
  NODE_TAINTS,
  podPlacementTopic,
} from '../../framework/event-topic.ts'
import { ownSpreadConstraints, type SpreadConstraint } from './spread-constraints.ts'

type Constraints = readonly SpreadConstraint[]

const noLabels: Labels = {}
const hardConstraintsOf = cachedByPod((pod) => ownSpreadConstraints(pod, 'DoNotSchedule'))

function topologyValue({ metadata }: Node, { topologyKey }: SpreadConstraint): string | undefined {
  return labelOf(metadata.labels ?? noLabels, topologyKey)
}

function selects({ matcher }: SpreadConstraint, { metadata }: Pod): boolean {
  return matcher.matches(metadata.labels ?? noLabels)
}

/** Returns whether the node has all topology keys, so that its pods count. */
function hasAllKeys(node: Node, constraints: Constraints): boolean {
  return constraints.every((constraint) => topologyValue(node, constraint) !== undefined)
}

function isHelpedByChangedNode(constraints: Constraints, old: Node, changed: Node): boolean {
  const counts = hasAllKeys(changed, constraints)
  if (counts !== hasAllKeys(old, constraints)) return true
  if (!counts) return false
  const isMoved = constraints.some((each) => topologyValue(old, each) !== topologyValue(changed, each))
  return isMoved || !isEqualJson(old.spec?.taints ?? [], changed.spec?.taints ?? [])
}

function isInNamespaceOf({ metadata }: Pod, other: Pod): boolean {
  return (other.metadata.namespace ?? '') === (metadata.namespace ?? '')
}

/** Default constraints depend on services and controllers, which hints do not see. */
function mayHelpDefaultConstraints(pod: Pod, event: ClusterEvent): boolean {
  return (
    ('pod' in event && isInNamespaceOf(pod, event.pod) && changesPodPlacement(event)) ||
    changesNodeLabels(event) ||
    changesNodeTaints(event) ||
    event.kind === 'node-deleted'
  )
}

/**
 * An event may help the pod when it changes the pods of its namespace that a DoNotSchedule constraint selects, or a node
 * with all topology keys. For a pod without constraints of its own, every change of pods of its namespace on nodes,
 * of labels and of taints may help.
 *
 * @throws Error when a selector of the pod is not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/podtopologyspread/plugin.go (v1.36)
 */
export const podTopologySpreadHint: QueueingHint = (pod, event) => {
  if ((pod.spec.topologySpreadConstraints ?? []).length === 0) return mayHelpDefaultConstraints(pod, event)
  if (event.kind === 'object') return false
  const constraints = hardConstraintsOf(pod)
  switch (event.kind) {
    case 'pod-assigned':
    case 'pod-left':
      return isInNamespaceOf(pod, event.pod) && constraints.some((each) => selects(each, event.pod))
    case 'pod-changed':
      return (
        isInNamespaceOf(pod, event.pod) &&
        constraints.some((each) => selects(each, event.old) !== selects(each, event.pod))
      )
    case 'node-added':
    case 'node-deleted':
      return hasAllKeys(event.node, constraints)
    case 'node-changed':
      return isHelpedByChangedNode(constraints, event.old, event.node)
  }
}

/** Topics of the events that the hint accepts. */
export function podTopologySpreadTopics({ metadata }: Pod): readonly EventTopic[] {
  return [NODE_ADDED, NODE_DELETED, NODE_LABELS, NODE_TAINTS, podPlacementTopic(metadata.namespace)]
}
