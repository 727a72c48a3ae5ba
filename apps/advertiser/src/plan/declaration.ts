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

/** The amount that a declaration gives each selected node. */
export type Amount =
  | { readonly kind: 'units'; readonly units: bigint }
  | SourceAmount
  /** The object does not have its finalizer yet, so that nothing may be written for it. The nodes keep what they have. */
  | { readonly kind: 'unclaimed' }

/** Where a declaration is written. It decides which of several declarations applies to a node. */
export type Origin =
  | { readonly kind: 'file' }
  | {
      readonly kind: 'object'
      readonly name: string
      readonly precedence: number
      /** Milliseconds since the epoch. */
      readonly createdAtMs: number
    }

/** A validated entry of the configuration file or an object: an amount of one resource on each selected node. */
export interface Declaration {
  /** Path of the entry in the configuration, or of the fields of an object: `resources[0]`, `extendedresources/lab: spec`. */
  readonly path: string
  readonly origin: Origin
  readonly resourceName: string
  readonly nodes: NodeSelection
  readonly amount: Amount
}
