import type { Node } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { keepsPodsOff, tolerationMatcher } from '../../selectors/tolerations.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { changesNodeTaints } from '../cluster-events/node-events.ts'
import { type EventTopic, NODE_ADDED, NODE_TAINTS } from '../../framework/event-topic.ts'

const toleratesOf = cachedByPod(({ spec }) => tolerationMatcher(spec.tolerations))

/**
 * Returns whether a node was added whose taints the pod tolerates, or a node changed so that the pod newly tolerates
 * its taints.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (v1.36)
 */
export const taintTolerationHint: QueueingHint = (pod, event) => {
  if (!changesNodeTaints(event)) return false
  const tolerates = toleratesOf(pod)
  const isTolerated = ({ spec }: Node): boolean =>
    (spec?.taints ?? []).every((taint) => !keepsPodsOff(taint) || tolerates(taint))
  if (event.kind === 'node-added') return isTolerated(event.node)
  return event.kind === 'node-changed' && !isTolerated(event.old) && isTolerated(event.node)
}

/** Topics of the events that the hint accepts. */
export const taintTolerationTopics: readonly EventTopic[] = [NODE_ADDED, NODE_TAINTS]
