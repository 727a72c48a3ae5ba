import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeTaints } from '../cluster-events/node-events.ts'

/** A node may have been uncordoned. */
export const nodeUnschedulableHint: QueueingHint = (_pod, event) => changesNodeTaints(event)
