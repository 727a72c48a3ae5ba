import { eventsKind } from './events.ts'
import type { VectorKind } from './vector-kind.ts'
import { podRequestKind } from './pod-request.ts'
import { preemptEverythingKind, preemptKind } from './preempt.ts'
import { quantityKind } from './quantity.ts'
import { schedulingKinds } from './scheduling.ts'
import { volumeHintsKind } from './volume-hints.ts'

/** Every supported kind of vector. A new kind is one line here or in `scheduling.ts`. */
export const kinds: ReadonlyMap<string, VectorKind> = new Map<string, VectorKind>([
  ['quantity', quantityKind],
  ['podrequest', podRequestKind],
  ...schedulingKinds,
  ['volume-hints', volumeHintsKind],
  ['preempt', preemptKind],
  ['events', eventsKind],
  ['preempt-everything', preemptEverythingKind],
])
