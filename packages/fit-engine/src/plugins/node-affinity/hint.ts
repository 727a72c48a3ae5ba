import type { Pod } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { requiredNodeMatcher } from '../../selectors/node-selector.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { type EventTopic, NODE_ADDED, NODE_LABELS, nodeLabelTopic } from '../../framework/event-topic.ts'

const matcherOf = cachedByPod(requiredNodeMatcher)

/**
 * Returns whether a node that was added or relabeled newly matches the pod's node selector and affinity. A pod without
 * either was rejected by the affinity of the plugin's arguments, so any change of labels may help it.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (v1.36)
 */
export const nodeAffinityHint: QueueingHint = (pod, event) => {
  if (!changesNodeLabels(event)) return false
  const { nodeSelector, affinity } = pod.spec
  if (nodeSelector == null && affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution == null)
    return true
  const isMatch = matcherOf(pod)
  if (event.kind === 'node-added') return isMatch(event.node)
  return event.kind === 'node-changed' && !isMatch(event.old) && isMatch(event.node)
}

/**
 * Returns the topics of the events that the hint accepts: new nodes, and changes of the label keys that the pod's
 * selectors name.
 *
 * @param hasAddedAffinity - Whether the plugin's arguments add an affinity, whose keys the pod does not show.
 */
export function nodeAffinityTopics({ spec }: Pod, hasAddedAffinity: boolean): readonly EventTopic[] {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (hasAddedAffinity || (spec.nodeSelector == null && required == null)) return [NODE_ADDED, NODE_LABELS]
  const terms = required?.nodeSelectorTerms ?? []
  const keys = new Set([
    ...Object.keys(spec.nodeSelector ?? {}),
    ...terms.flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key)),
  ])
  return [NODE_ADDED, ...[...keys].map(nodeLabelTopic)]
}
