import type { LabelSelector } from '@berth/types'

/** The highest count an API server stores: int64. */
export const MAX_UNITS = 9_223_372_036_854_775_807n

/** The nodes that one declaration speaks of. */
export type NodeChoice =
  | { readonly kind: 'names'; readonly names: ReadonlySet<string> }
  /** An empty selector chooses every node. */
  | { readonly kind: 'selector'; readonly selector: LabelSelector }

/** A resource source plugin as the amount of a declaration. */
export interface SourceAmount {
  readonly kind: 'source'
  readonly plugin: string
  readonly args: unknown
  /** How often it is asked, milliseconds. */
  readonly everyMs: number
  /** An observation older than this is not written to any node, milliseconds. */
  readonly maxAgeMs: number
}

/** One entry of the configuration, checked: so many units of a resource on each of these nodes. */
export interface Declaration {
  /** Where it stands in the configuration: `resources[0]`. */
  readonly path: string
  readonly resourceName: string
  readonly nodes: NodeChoice
  readonly amount: { readonly kind: 'units'; readonly units: bigint } | SourceAmount
}
