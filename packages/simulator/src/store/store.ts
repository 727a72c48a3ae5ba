import { stringAt } from '../json/json-object.ts'
import { createCollection, type Change, type Collection } from './collection.ts'

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
  /**
   * Hears every change of every collection, synchronously. The listener must not write.
   *
   * @returns Ends the subscription.
   */
  subscribe(listener: (storage: string, change: Change) => void): () => void
}

/** Changes that each collection remembers at least. */
const HISTORY_SIZE = 4096

/** An empty store. */
export function createStore(): Store {
  let revision = 1
  const collections = new Map<string, Collection>()
  const listeners = new Set<(storage: string, change: Change) => void>()
  return {
    get revision() {
      return revision
    },
    collection(storage) {
      let collection = collections.get(storage)
      if (collection === undefined) {
        collection = createCollection({
          nextRevision: () => ++revision,
          currentRevision: () => revision,
          historySize: HISTORY_SIZE,
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
      for (const collection of collections.values()) collection.compact()
    },
  }
}
