import type { QueueingHint } from '../../framework/queueing-hint.ts'

/**
 * A node may have been uncordoned, or a node was added that is not cordoned.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (v1.36)
 */
export const nodeUnschedulableHint: QueueingHint = (_pod, event) => {
  if (event.kind === 'node-added') return event.node.spec?.unschedulable !== true
  return (
    event.kind === 'node-changed' && event.old.spec?.unschedulable === true && event.node.spec?.unschedulable !== true
  )
}
