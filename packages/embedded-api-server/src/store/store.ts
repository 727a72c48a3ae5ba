import { stringAt } from '../schema/json/json-object.ts'
import type { Change, HistoryBounds } from './change-history.ts'
import { createCollection, type Collection } from './collection.ts'

/** The state of the API server: one collection per stored kind, and one revision counter for all of them. */
export interface Store {
  /** Revision of the last write: the resourceVersion of lists and bookmarks. */
  readonly revision: number
  /** Returns the collection of a stored kind, `group/plural` (`/pods` for the core group). Creates it on first use. */
  collection(storage: string): Collection
  /**
   * Drops the history of every collection, as etcd's compaction does. A watch or an exact list from an older revision
   * then gets 410.
   */
  compact(): void
  /** Applies a change of another store, with its revision. Replay changes in revision order. */
  replay(storage: string, change: Change): void
  /** Returns an independent store with the same objects and revision, and no history. */
  fork(): Store
  /**
   * Returns to the state of an older revision, as a server whose data were restored from a backup. Listeners of
   * {@link subscribe} receive the differences; watches do not.
   *
   * @throws RangeError when the history does not reach back that far.
   */
  restore(to: number): void
  /**
   * Calls the listener synchronously with every change of every collection. The listener must not write.
   *
   * @returns Ends the subscription.
   */
  subscribe(listener: (storage: string, change: Change) => void): () => void
}

/** Upstream's watch cache keeps 75 s too, of up to 102,400 changes. */
const HISTORY: HistoryBounds = { retentionMs: 75_000, minChanges: 4096, maxChanges: 61_440 }

/** Lease renewals are the constant load of a large cluster: those of 5,000 nodes would fill 100 MiB. */
const LEASE_HISTORY: HistoryBounds = { ...HISTORY, maxChanges: 4096 }

/**
 * Creates an empty store.
 *
 * @param now - Returns milliseconds of a monotonic clock. Old changes are dropped by this time.
 */
export function createStore(now: () => number, startRevision: number = 1): Store {
  let revision = startRevision
  let compactedAt = startRevision
  const collections = new Map<string, Collection>()
  const listeners = new Set<(storage: string, change: Change) => void>()
  const nextRevision = (): number => {
    revision++
    // A kind that is no longer written would otherwise keep its old changes.
    if (revision % HISTORY.minChanges === 0) for (const collection of collections.values()) collection.trimHistory()
    return revision
  }
  const store: Store = {
    get revision() {
      return revision
    },
    collection(storage) {
      let collection = collections.get(storage)
      if (collection === undefined) {
        collection = createCollection({
          nextRevision,
          currentRevision: () => revision,
          startRevision: compactedAt,
          history: storage === 'coordination.k8s.io/leases' ? LEASE_HISTORY : HISTORY,
          now,
          onChange(change) {
            for (const listener of listeners) listener(storage, change)
          },
          ...(storage === '/pods' ? { indexOf: (pod) => stringAt(pod, 'spec', 'nodeName') } : {}),
        })
        collections.set(storage, collection)
      }
      return collection
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    compact() {
      compactedAt = revision
      for (const collection of collections.values()) collection.compact()
    },
    replay(storage, change) {
      revision = change.revision
      store.collection(storage).replay(change)
    },
    fork() {
      const copy = createStore(now, revision)
      for (const [storage, collection] of collections) copy.collection(storage).copyFrom(collection)
      return copy
    },
    restore(to) {
      const all = [...collections.values()]
      if (to > revision || !all.every((collection) => collection.canRestore(to))) {
        throw new RangeError(`the history does not reach back to revision ${to}`)
      }
      revision = to
      for (const collection of all) collection.restore(to)
    },
  }
  return store
}
