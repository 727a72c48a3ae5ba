/** The kinds of changes that the timeline counts. */
export const changeKinds = ['arrived', 'placed', 'pending', 'ended', 'nodeAdded', 'nodeChanged', 'nodeGone'] as const

/** A kind of change: of a pod, or of a node. */
export type ChangeKind = (typeof changeKinds)[number]

/** Number of changes of each kind. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>

/** One change: the pod as `namespace/name`, or the node. */
export type NamedChange = readonly [kind: ChangeKind, name: string]

/** A time of the timeline, and the changes since the point before it. */
export interface UiPoint {
  /** Milliseconds since the epoch. */
  readonly timeMs: number
  readonly pendingCount: number
  readonly counts: ChangeCounts
  /** The first of the changes, not more than {@link MAX_EXAMPLES}. */
  readonly examples: readonly NamedChange[]
  /** All nodes together. Whole units; cpu in milli. */
  readonly totals: readonly (readonly [resource: string, requested: number, allocatable: number])[]
}

/** Named changes of one point. */
export const MAX_EXAMPLES = 8
/** Points of a timeline. */
export const MAX_POINTS = 1_000

/** No change of any kind. */
export const noChanges: ChangeCounts = {
  arrived: 0,
  placed: 0,
  pending: 0,
  ended: 0,
  nodeAdded: 0,
  nodeChanged: 0,
  nodeGone: 0,
}

/** Returns one point for two that follow each other: the changes of both, at the time of the later. */
export function mergedPoint(first: UiPoint, second: UiPoint): UiPoint {
  const sum = (kind: ChangeKind): number => first.counts[kind] + second.counts[kind]
  return {
    ...second,
    counts: Object.fromEntries(changeKinds.map((kind) => [kind, sum(kind)])) as ChangeCounts,
    examples: [...first.examples, ...second.examples].slice(0, MAX_EXAMPLES),
  }
}

/**
 * Returns a list with one more item. Beyond a number of items, pairs of neighbours in the older half become one each, so
 * that a list that grows for days keeps its beginning. The first item stays.
 */
export function withItem<T>(items: readonly T[], item: T, maxItems: number, merge: (a: T, b: T) => T): readonly T[] {
  const all = [...items, item]
  if (all.length <= maxItems) return all
  const half = Math.floor(maxItems / 2)
  const merged: T[] = all.slice(0, 1)
  for (let i = 1; i < half; i += 2) {
    const [first, second] = all.slice(i, i + 2)
    if (first !== undefined && second !== undefined) merged.push(merge(first, second))
  }
  return [...merged, ...all.slice(merged.length * 2 - 1)]
}
