/**
 * Amounts of one resource on one node, or on all: allocatable, requested, free, unhealthy. Whole units; cpu in milli.
 * Amounts beyond 2^53 are rounded.
 */
export type UiAmounts = readonly [allocatable: number, requested: number, free: number, unhealthy: number]

/** One resource. */
export interface UiResource {
  readonly name: string
  readonly total: UiAmounts
  /** The largest request that still fits on one node. */
  readonly largestBlock: number
  /** In the order of the nodes; null where a node does not offer the resource. */
  readonly cells: readonly (UiAmounts | null)[]
}

/** The data that the page shows, at one time. */
export interface UiModel {
  /** Milliseconds since the epoch at which the cluster was read. */
  readonly timeMs: number
  /** Sorted by name. */
  readonly nodes: readonly string[]
  /** Sorted by name. */
  readonly resources: readonly UiResource[]
  /** Number of pods that wait. */
  readonly pendingCount: number
  /** Sentences about what is missing from the numbers. */
  readonly notes: readonly string[]
}

/** The new amounts of one resource. */
export interface ResourceChange {
  /** Index of the resource in the model. */
  readonly resource: number
  readonly total: UiAmounts
  readonly largestBlock: number
  /** The changed cells, with the index of their node. */
  readonly cells: readonly (readonly [node: number, amounts: UiAmounts | null])[]
}

/** The difference between two models with the same nodes and resources. */
export interface ModelChange {
  readonly kind: 'change'
  readonly timeMs: number
  readonly pendingCount: number
  readonly notes: readonly string[]
  readonly resources: readonly ResourceChange[]
}

/** One line of the change stream. */
export type UiMessage =
  | { readonly kind: 'model'; readonly model: UiModel }
  | ModelChange
  /** The cluster could not be read; the page keeps what it shows. */
  | { readonly kind: 'failed'; readonly sentence: string }
  /** The cluster was read again, and nothing has changed. */
  | { readonly kind: 'recovered' }
