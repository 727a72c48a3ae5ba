import type { LabelSelector } from '@berth/types'

/** The largest count that an API server stores: int64. */
export const MAX_UNITS = 9_223_372_036_854_775_807n

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
  /** Interval between two queries for one node, milliseconds. */
  readonly everyMs: number
  /** A value observed longer ago than this is not written to any node, milliseconds. */
  readonly maxAgeMs: number
}

/** One validated configuration entry: an amount of one resource on each selected node. */
export interface Declaration {
  /** Path of the entry in the configuration: `resources[0]`. */
  readonly path: string
  readonly resourceName: string
  readonly nodes: NodeSelection
  readonly amount: { readonly kind: 'units'; readonly units: bigint } | SourceAmount
}
