import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels, changesNodeTaints } from '../cluster-events/node-events.ts'
import { changesPodPlacement } from '../cluster-events/pod-events.ts'

/** Pods of a domain, or the domains themselves, may have changed. */
export const podTopologySpreadHint: QueueingHint = (_pod, event) =>
  changesPodPlacement(event) || changesNodeLabels(event) || changesNodeTaints(event) || event.kind === 'node-deleted'
