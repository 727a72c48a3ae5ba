import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { type EventTopic, NODE_ADDED, NODE_TAINTS } from '../../framework/event-topic.ts'

/**
 * Returns whether a node was uncordoned, or a node that is not cordoned was added.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (v1.36)
 */
export const nodeUnschedulableHint: QueueingHint = (_pod, event) => {
  if (event.kind === 'node-added') return event.node.spec?.unschedulable !== true
  return (
    event.kind === 'node-changed' && event.old.spec?.unschedulable === true && event.node.spec?.unschedulable !== true
  )
}

/** Topics of the events that the hint accepts. */
export const nodeUnschedulableTopics: readonly EventTopic[] = [NODE_ADDED, NODE_TAINTS]
