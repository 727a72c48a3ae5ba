import type { ReflectorStats, RelistReason, RestartReason } from './reflector.ts'

/** Counters of one reflector; written by its parts, read as {@link ReflectorStats}. */
export interface ReflectorCounts {
  lists: number
  watchLists: number
  watches: number
  readonly restarts: Map<RestartReason, number>
  readonly relists: Map<RelistReason, number>
  bookmarks: number
  undecodable: number
  failures: number
}

/** Counters at zero. */
export function createCounts(): ReflectorCounts {
  return {
    lists: 0,
    watchLists: 0,
    watches: 0,
    restarts: new Map(),
    relists: new Map(),
    bookmarks: 0,
    undecodable: 0,
    failures: 0,
  }
}

/** Adds one to a counter with a label. */
export function bump<K>(counter: Map<K, number>, label: K): void {
  counter.set(label, (counter.get(label) ?? 0) + 1)
}

/** A copy that does not change any more. */
export function snapshotCounts(
  counts: ReflectorCounts,
  store: { readonly events: number; readonly handlerErrors: number },
): ReflectorStats {
  return { ...counts, restarts: new Map(counts.restarts), relists: new Map(counts.relists), ...store }
}
