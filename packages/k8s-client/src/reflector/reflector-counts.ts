import type { ReadCounts } from './read/read-session.ts'
import type { ReflectorStats, RelistReason, RestartReason } from './reflector.ts'

/** Counters of one reflector. {@link snapshotCounts} copies them to {@link ReflectorStats}. */
export interface ReflectorCounts extends ReadCounts {
  readonly restarts: Map<RestartReason, number>
  readonly relists: Map<RelistReason, number>
  failures: number
}

/** Returns counters at zero. */
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
export function increment<K>(counter: Map<K, number>, label: K): void {
  counter.set(label, (counter.get(label) ?? 0) + 1)
}

/** Copies the counters, so that the result does not change later. */
export function snapshotCounts(
  counts: ReflectorCounts,
  store: { readonly events: number; readonly handlerErrors: number },
): ReflectorStats {
  return { ...counts, restarts: new Map(counts.restarts), relists: new Map(counts.relists), ...store }
}
