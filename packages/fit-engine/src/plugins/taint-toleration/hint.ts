import type { Node } from '@berth/types'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { keepsPodsOff, tolerationMatcher } from '../../selectors/tolerations.ts'
import { cachedByPod } from '../cluster-events/cached-by-pod.ts'
import { changesNodeTaints } from '../cluster-events/node-events.ts'

const toleratesOf = cachedByPod(({ spec }) => tolerationMatcher(spec.tolerations))

/**
 * A node may have only taints that the pod tolerates now.
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
