import { delegationKind } from './delegation.ts'
import { eventsKind } from './events.ts'
import { everythingKind } from './everything.ts'
import { fitKind } from './fit.ts'
import type { Kind } from './kind.ts'
import { podRequestKind } from './pod-request.ts'
import { preemptEverythingKind, preemptKind } from './preempt.ts'
import { quantityKind } from './quantity.ts'
import { topologyKind } from './topology.ts'
import { volumesKind } from './volumes.ts'

/** Every kind of question that Berth answers. A new kind is one file beside this one and one line here. */
export const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
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
