import type { QueueingHint } from '../../framework/queueing-hint.ts'
import { changesNodeLabels } from '../cluster-events/node-events.ts'
import { addsOrChanges } from '../cluster-events/object-events.ts'
import { changesPodPlacement } from '../cluster-events/pod-events.ts'

/** Pods, domains, or the namespaces that a selector selects may have changed. */
export const interPodAffinityHint: QueueingHint = (_pod, event) =>
  changesPodPlacement(event) || changesNodeLabels(event) || addsOrChanges(event, 'namespaces')
