import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { requiredNodeMatcher } from '../../selectors/node-selector.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'

const matcherOf = cachedByPod(requiredNodeMatcher)

/**
 * A node may match the pod's node selector and affinity now. A pod without either was rejected by the affinity of the
 * plugin's arguments, so any change of labels may help it.
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
