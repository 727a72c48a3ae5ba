import type { LabelSelector } from '@berth/types'

/** The largest count that an API server stores: int64. */
export const MAX_UNITS = 9_223_372_036_854_775_807n

/** How the number of a source becomes the units that a node offers. */
export interface UnitsShape {
  /** Smaller numbers, also negative ones, are raised to it. Default: a negative number is refused. */
  readonly min?: bigint
  /** Larger numbers are lowered to it. Default: a number above int64 is refused. */
  readonly max?: bigint
  /** The units are a multiple of it. At least 1. */
  readonly step: bigint
  /** How a number between two multiples of `step` is rounded. `nearest` rounds a half up. */
  readonly rounding: 'down' | 'up' | 'nearest'
}

/** The nodes that one declaration applies to. */
export type NodeSelection =
  | { readonly kind: 'names'; readonly names: ReadonlySet<string> }
  /** An empty selector selects every node. */
  | { readonly kind: 'selector'; readonly selector: LabelSelector }

/** An amount that a resource source plugin computes for each node. */
export interface SourceAmount {
  readonly kind: 'source'
  readonly plugin: string
  readonly args: unknown
  /** Whether the source counts all units of a node, or those that no running pod holds. */
  readonly reading: 'total' | 'free'
  readonly shape: UnitsShape
  /** Interval between two queries for one node, milliseconds. */
  readonly everyMs: number
  /** Deadline of one query, milliseconds. */
  readonly timeoutMs: number
  /** A value observed longer ago than this is not written to any node, milliseconds. */
  readonly maxAgeMs: number
  /**
   * A node without a good value for longer than this offers `shape.min` units, or 0; milliseconds. Default: it keeps its
   * amount.
   */
  readonly keepMs?: number
}

/** One validated configuration entry: an amount of one resource on each selected node. */
export interface Declaration {
  /** Path of the entry in the configuration: `resources[0]`. */
  readonly path: string
  readonly resourceName: string
  readonly nodes: NodeSelection
  readonly amount: { readonly kind: 'units'; readonly units: bigint } | SourceAmount
}
