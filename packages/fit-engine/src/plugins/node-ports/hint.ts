import type { QueueingHint } from '../../framework/queueing-hint.ts'

/** A port may be free now. */
export const nodePortsHint: QueueingHint = (_pod, event) => event.kind === 'pod-left' || event.kind === 'node-added'
