import type { ClusterEvent } from '../../framework/queueing-hint.ts'
import { isEqualJson } from './is-equal-json.ts'

/** Returns whether a node was added or got other labels. */
export function changesNodeLabels(event: ClusterEvent): boolean {
  return (
    event.kind === 'node-added' ||
    (event.kind === 'node-changed' && !isEqualJson(event.old.metadata.labels, event.node.metadata.labels))
  )
}

/** Returns whether a node was added, got other taints, or was cordoned or uncordoned. */
export function changesNodeTaints(event: ClusterEvent): boolean {
  return (
    event.kind === 'node-added' ||
    (event.kind === 'node-changed' &&
      (!isEqualJson(event.old.spec?.taints, event.node.spec?.taints) ||
        event.old.spec?.unschedulable !== event.node.spec?.unschedulable))
  )
}
