import type { UiPoint } from './ui-point.ts'

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
  /** Milliseconds since the epoch: the time of the last change that is counted. */
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

/** The points of the timeline after those of earlier messages. */
interface NewPoints {
  readonly points: readonly UiPoint[]
}

/** Where the data comes from: a cluster that is watched, or a recording. */
export type FeedKind = 'live' | 'recording'

/** One line of the change stream. */
export type UiMessage =
  /** The first of a stream; its points are all that there are. */
  | ({ readonly kind: 'start'; readonly feed: FeedKind; readonly model: UiModel } & NewPoints)
  | ({ readonly kind: 'model'; readonly model: UiModel } & NewPoints)
  | (ModelChange & NewPoints)
  /** The cluster cannot be read; the page keeps what it shows. */
  | { readonly kind: 'failed'; readonly sentence: string }
  /** The cluster can be read again. */
  | { readonly kind: 'recovered' }
  /** Nothing has changed, and the server still watches. */
  | { readonly kind: 'beat' }

/** Longest time between two messages of a stream. */
export const BEAT_MS = 10_000
