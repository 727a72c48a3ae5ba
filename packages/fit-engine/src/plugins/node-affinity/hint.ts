import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'

/** A node may match the affinity now. */
export const nodeAffinityHint: QueueingHint = (_pod, event) => changesNodeLabels(event)
