import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { isEqualJson } from '../cluster-events/is-equal-json.ts'
import { type EventTopic, NODE_ADDED, NODE_FEATURES } from '../../framework/event-topic.ts'

/** A node may declare the features now. */
export const nodeDeclaredFeaturesHint: QueueingHint = (_pod, event) =>
  event.kind === 'node-added' ||
  (event.kind === 'node-changed' &&
    !isEqualJson(event.old.status?.declaredFeatures, event.node.status?.declaredFeatures))

/** Topics of the events that the hint accepts. */
export const nodeDeclaredFeaturesTopics: readonly EventTopic[] = [NODE_ADDED, NODE_FEATURES]
