import type { UiAmounts } from './ui-model.ts'
import type { ChangeCounts, NamedChange } from './ui-point.ts'

/** The amounts of every resource that a node offers, by name of the resource. */
export type NodeRow = ReadonlyMap<string, UiAmounts>

/** The changes of a cluster between two times. */
export interface ClusterStep {
  /** Milliseconds since the epoch at its end. */
  readonly timeMs: number
  /** The rows that changed, by node; undefined for a node that is gone. */
  readonly rows: ReadonlyMap<string, NodeRow | undefined>
  /** Number of pending pods at the end. */
  readonly pendingCount: number
  readonly counts: ChangeCounts
  readonly examples: readonly NamedChange[]
}

/** The nodes and their amounts at one time. */
export interface ClusterMoment {
  readonly timeMs: number
  readonly pendingCount: number
  readonly rows: ReadonlyMap<string, NodeRow>
}
