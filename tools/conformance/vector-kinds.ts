import { delegationKind } from './delegation.ts'
import { eventsKind } from './events.ts'
import { everythingKind } from './everything.ts'
import { fitKind } from './fit.ts'
import type { VectorKind } from './vector-kind.ts'
import { podRequestKind } from './pod-request.ts'
import { preemptEverythingKind, preemptKind } from './preempt.ts'
import { quantityKind } from './quantity.ts'
import { topologyKind } from './topology.ts'
import { volumesKind } from './volumes.ts'

/** Every supported kind of vector. A new kind is one file in this folder and one line here. */
export const kinds: ReadonlyMap<string, VectorKind> = new Map<string, VectorKind>([
  ['quantity', quantityKind],
  ['podrequest', podRequestKind],
  ['fit', fitKind],
  ['topology', topologyKind],
  ['volumes', volumesKind],
  ['preempt', preemptKind],
  ['everything', everythingKind],
  ['events', eventsKind],
  ['delegation', delegationKind],
  ['preempt-everything', preemptEverythingKind],
])
