import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { isEqualJson } from '../cluster-events/is-equal-json.ts'
import { type EventTopic, NODE_ADDED, NODE_FEATURES } from '../../framework/event-topic.ts'

/** Returns whether a node was added or declares other features. */
export const nodeDeclaredFeaturesHint: QueueingHint = (_pod, event) =>
  event.kind === 'node-added' ||
  (event.kind === 'node-changed' &&
    !isEqualJson(event.old.status?.declaredFeatures, event.node.status?.declaredFeatures))

/** Topics of the events that the hint accepts. */
export const nodeDeclaredFeaturesTopics: readonly EventTopic[] = [NODE_ADDED, NODE_FEATURES]
