import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { isEqualJson } from './is-equal-json.ts'

/** Returns whether a pod came to a node, left one, or got other labels there. */
export function changesPodPlacement(event: ClusterEvent): boolean {
  return (
    event.kind === 'pod-assigned' ||
    event.kind === 'pod-left' ||
    (event.kind === 'pod-changed' && !isEqualJson(event.old.metadata.labels, event.pod.metadata.labels))
  )
}
