import type { DecodeOptions } from '@berth/kube-schema/protobuf'
import type { KubernetesObject } from '@berth/types'
import type { IndexKeys } from './store/object-indexes.ts'
import type { ReflectorHandlers } from './store/object-store.ts'

/** Options of a reflector: the objects to mirror, and the fields to keep. */
export interface ReflectOptions<T extends KubernetesObject> {
  /** Undefined means all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /**
   * Projects every object before it is stored. If it throws, the object counts as unreadable: it is skipped, counted
   * and logged, and a stored older state stays. Default: removes managedFields.
   */
  readonly project?: (object: T) => T
  /**
   * How objects in protobuf are decoded. `skips` may name only fields that `project` drops, because objects in JSON
   * keep them until then. Default: skips `metadata.managedFields`.
   */
  readonly protobuf?: DecodeOptions
  /** Treats a resource that the server does not serve (404) as empty, and retries each minute. Default: false. */
  readonly mayBeAbsent?: boolean
  /**
   * True if thousands of objects are expected, as with pods and nodes. They are read by one LIST, which costs a server
   * half as much as a WatchList of the same objects. Default: false, until 2,000 objects are stored.
   */
  readonly isLarge?: boolean
  /**
   * Indexes for {@link Reflector.byIndex}, by name. Each function returns the keys of a projected object. If it throws,
   * that is logged and counted, and the object is not in the index.
   */
  readonly indexes?: Readonly<Record<string, IndexKeys<T>>>
}

/** Reason for restarting a watch. */
export type RestartReason =
  | 'end-of-stream'
  | 'short-watch'
  | 'idle'
  | 'broken'
  | 'throttled'
  | 'server-error'
  | 'refused'

/** Reason for reading the whole collection. */
export type RelistReason =
  | 'start'
  | 'expired'
  | 'undecodable'
  | 'out-of-order'
  | 'behind'
  | 'server-error'
  | 'refused'
  | 'absent'
  | 'idle'

/** Counters of a reflector since its start. */
export interface ReflectorStats {
  /** Complete reads by LIST. */
  readonly lists: number
  /** Complete reads by WatchList. */
  readonly watchLists: number
  /** Watch requests, WatchLists included. */
  readonly watches: number
  readonly restarts: ReadonlyMap<RestartReason, number>
  readonly relists: ReadonlyMap<RelistReason, number>
  /** Delivered changes. */
  readonly events: number
  readonly bookmarks: number
  /** Objects skipped because they could not be read. */
  readonly undecodable: number
  /** Exceptions thrown by handlers and index functions. */
  readonly handlerErrors: number
  /** Failed attempts to read or watch. */
  readonly failures: number
}

/** Options of {@link Reflector.catchUp}. */
export interface CatchUpOptions {
  readonly signal?: AbortSignal | undefined
  /**
   * A monotonic time. A store that was filled by a read which began at this time or later is new enough, so the server is not
   * asked. Default: now.
   */
  readonly sinceMs?: number | undefined
}

/** A local mirror of a resource type, kept up to date until it is disposed. */
export interface Reflector<T> extends AsyncDisposable {
  /** The objects by `namespace/name`, or by `name` for cluster-wide types. */
  readonly store: ReadonlyMap<string, T>
  /**
   * Returns the objects under a key of an index of {@link ReflectOptions.indexes}, oldest first; empty if there are
   * none.
   *
   * @throws RangeError if there is no index with that name
   */
  byIndex(name: string, key: string): readonly T[]
  /** Returns whether one complete read has been delivered. */
  hasSynced(): boolean
  /** Waits for {@link Reflector.hasSynced}. Rejects if `signal` aborts or the reflector is disposed first. */
  waitForSync(signal?: AbortSignal): Promise<void>
  /**
   * Waits until the store is at least as new as the collection was when this was called, or at `sinceMs`. A watch that
   * does not deliver the changes in time is replaced by a new read. Rejects if `signal` aborts or the reflector is
   * disposed first.
   */
  catchUp(options?: CatchUpOptions): Promise<void>
  /**
   * Milliseconds since the server last sent an event, a bookmark or a complete list of the collection. A watch that
   * opens and stays silent does not count, and neither does an error. Infinity before the first time.
   */
  lastEventAgeMs(): number
  /** Returns the error that currently prevents list or watch, an ApiError or TransportError; undefined without one. */
  failure(): Error | undefined
  /** Resource version up to which the store is complete; empty before the first list. */
  lastResourceVersion(): string
  /**
   * Delivers every stored object as an addition at once, then every change.
   *
   * @returns A function that ends the subscription.
   */
  subscribe(handlers: ReflectorHandlers<T>): () => void
  stats(): ReflectorStats
}
