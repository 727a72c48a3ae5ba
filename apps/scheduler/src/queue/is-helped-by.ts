import type { ClusterChange } from '@berth/cluster-view'
import { findBuiltIn, type QueueingHint, unsupportedFeaturesHint } from '@berth/fit-engine'
import { clusterEventOf } from './cluster-event.ts'
import type { QueuedPodInfo } from './queued-pod.ts'
import { UNSUPPORTED_REJECTOR } from './rejectors.ts'

function hintOf(rejector: string): QueueingHint | undefined {
  return rejector === UNSUPPORTED_REJECTOR ? unsupportedFeaturesHint : findBuiltIn(rejector)?.hint
}

/**
 * Returns whether a change may make an unschedulable pod schedulable, according to the queueing hints of the plugins
 * that rejected the pod. A rejector without a hint, such as an extender, is helped by every change.
 */
export function isHelpedBy({ pod, rejectors }: QueuedPodInfo, change: ClusterChange): boolean {
  const event = clusterEventOf(change)
  if (event === undefined) return false
  for (const rejector of rejectors) {
    const hint = hintOf(rejector)
    if (hint === undefined || hint(pod, event)) return true
  }
  return false
}
