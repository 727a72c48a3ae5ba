import { stringAt } from '../schema/json/json-object.ts'
import { createCollection, type Change, type Collection, type HistoryBounds } from './collection.ts'

/** Everything the API server remembers: one collection per stored kind, one revision counter for all of them. */
export interface Store {
  /** Revision of the last write; what lists and bookmarks carry as resourceVersion. */
  readonly revision: number
  /** The collection of a stored kind, named `group/plural` (`/pods` for the core group); made when first asked for. */
  collection(storage: string): Collection
  /**
   * Forgets the history of every collection, as etcd's compaction does: a watch or an exact list from an older
   * revision gets 410 from now on.
   */
  compact(): void
  /** Takes over what another store wrote, its revision included: changes in their order. */
  replay(storage: string, change: Change): void
  /** A store of its own with the same objects and revision, and no history. */
  fork(): Store
  /**
   * Goes back to the state of an older revision, as a server whose data were restored from a backup. Those who
   * {@link subscribe} hear of the difference, watches do not.
   *
   * @throws RangeError where the history does not reach back that far
   */
  restore(to: number): void
  /**
   * Hears every change of every collection, synchronously. The listener must not write.
   *
   * @returns Ends the subscription.
   */
  subscribe(listener: (storage: string, change: Change) => void): () => void
}

/** What each collection remembers: as upstream's watch cache 75 s; that of up to 102,400 changes. */
const HISTORY: HistoryBounds = { retentionMs: 75_000, minChanges: 4096, maxChanges: 61_440 }

/** Of leases, which are all that a large cluster writes all the time: 5,000 nodes would fill 100 MiB with renewals. */
const LEASE_HISTORY: HistoryBounds = { ...HISTORY, maxChanges: 4096 }

/**
 * An empty store.
 *
 * @param now - Milliseconds on a clock that only goes forward: by it old changes are forgotten.
 */
export function createStore(now: () => number, startRevision: number = 1): Store {
  let revision = startRevision
  let compactedAt = startRevision
  const collections = new Map<string, Collection>()
  const listeners = new Set<(storage: string, change: Change) => void>()
  const nextRevision = (): number => {
    revision++
    // A kind that nobody writes any more would keep what it had.
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
