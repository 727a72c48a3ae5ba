import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeTaints } from '../cluster-events/node-events.ts'

/** A node may have lost a taint. */
export const taintTolerationHint: QueueingHint = (_pod, event) => changesNodeTaints(event)
