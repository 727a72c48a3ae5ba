import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesOwnClaim } from '../volume-claims/own-claim-event.ts'

/** A disk or an exclusive claim may be free now. */
export const volumeRestrictionsHint: QueueingHint = (pod, event) =>
  event.kind === 'pod-left' || event.kind === 'node-added' || changesOwnClaim(pod, event)
