import { hostPorts, hostPortsConflict, usesHostPorts } from '@berth/resources'
import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { type EventTopic, NODE_ADDED, POD_LEFT } from '../../framework/event-topic.ts'

/**
 * Returns whether a node was added, or a pod that used a host port which the pod requests left its node.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeports/node_ports.go (v1.36)
 */
export const nodePortsHint: QueueingHint = (pod, event) => {
  if (event.kind === 'node-added') return true
  if (event.kind !== 'pod-left' || !usesHostPorts(event.pod)) return false
  const freed = hostPorts(event.pod)
  return hostPorts(pod).some((port) => freed.some((other) => hostPortsConflict(port, other)))
}

/** Topics of the events that the hint accepts. */
export const nodePortsTopics: readonly EventTopic[] = [NODE_ADDED, POD_LEFT]
