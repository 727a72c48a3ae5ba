import type { KubernetesObject } from '@berth/types'
import type { IndexKeys } from './store/object-indexes.ts'
import type { ReflectorHandlers } from './store/object-store.ts'

/** What to mirror, and how much of it. */
export interface ReflectOptions<T extends KubernetesObject> {
  /** Undefined means all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /**
   * Runs on every object before it is stored: returns what is kept. Throwing means that the object cannot be
   * read: it is skipped, counted and logged, and an older stored state stays. Default: all but managedFields.
   */
  readonly project?: (object: T) => T
  /** A server that does not serve the resource (404) has none of it; it is asked again each minute. Default: false. */
  readonly mayBeAbsent?: boolean
  /**
   * Whether thousands of objects are expected, as of pods and nodes: they are read by one LIST, which costs a server
   * half of what a WatchList of the same objects costs it. Default: false, until so many are held.
   */
  readonly isLarge?: boolean
  /**
   * Ways to find objects for {@link Reflector.byIndex}, by name: the keys under which an object is to be found, after
   * projection. A function that throws is logged and counted, and leaves the object out.
   */
  readonly indexes?: Readonly<Record<string, IndexKeys<T>>>
}

/** Why a watch ended and was opened again. */
export type RestartReason =
  | 'end-of-stream'
  | 'short-watch'
  | 'idle'
  | 'broken'
  | 'throttled'
  | 'server-error'
  | 'refused'

/** Why everything was read again. */
export type RelistReason =
  | 'start'
  | 'expired'
  | 'undecodable'
  | 'out-of-order'
  | 'server-error'
  | 'refused'
  | 'absent'
  | 'idle'

/** Counts of a reflector since its start. */
export interface ReflectorStats {
  /** Complete reads by LIST. */
  readonly lists: number
  /** Complete reads by WatchList. */
  readonly watchLists: number
  /** Watch requests, WatchLists included. */
  readonly watches: number
  readonly restarts: ReadonlyMap<RestartReason, number>
  readonly relists: ReadonlyMap<RelistReason, number>
  /** Changes delivered. */
  readonly events: number
  readonly bookmarks: number
  /** Objects skipped because they could not be read. */
  readonly undecodable: number
  /** Exceptions thrown by handlers and index functions. */
  readonly handlerErrors: number
  /** Failed attempts to read or watch. */
  readonly failures: number
}

/** A local mirror of a resource type, kept up to date for as long as it lives. */
export interface Reflector<T> extends AsyncDisposable {
  /** By `namespace/name`, or `name` for cluster-wide types. */
  readonly store: ReadonlyMap<string, T>
  /**
   * The objects under a key of an index of {@link ReflectOptions.indexes}, oldest first; empty where there are none.
   *
   * @throws RangeError when there is no index of that name
   */
  byIndex(name: string, key: string): readonly T[]
  /** Whether one complete list has been delivered. */
  hasSynced(): boolean
  /** Waits for {@link Reflector.hasSynced}. Rejects when `signal` aborts or the reflector is disposed first. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /**
   * Milliseconds since the server last said anything about the collection: an event, a bookmark, a complete list. A
   * watch that opens and says nothing does not count, and neither does a refusal. Infinity before the first time.
   */
  lastEventAgeMs(): number
  /** Why it cannot read or watch at present: an ApiError or TransportError; undefined while it can. */
  failure(): Error | undefined
  /** Resource version up to which the store is complete; empty before the first list. */
  lastResourceVersion(): string
  /**
   * Delivers every stored object as added at once, then every change.
   *
   * @returns Ends the subscription.
   */
  subscribe(handlers: ReflectorHandlers<T>): () => void
  stats(): ReflectorStats
}
