import type { StreamFacts } from './next-attempt.ts'
import type { ListMethod } from './read/list-into.ts'
import type { StreamFault } from './read/watch-into.ts'
import type { RelistReason, RestartReason } from './reflector.ts'

/** The phase of a reflector. It is always in exactly one. */
export type Phase =
  /** Between two attempts. */
  | { readonly name: 'waiting' }
  /** Reads the whole collection by LIST. */
  | { readonly name: 'listing' }
  /** Reads the whole collection as the initial events of a WatchList. */
  | { readonly name: 'watch-listing' }
  /** Follows changes; the store is complete. `isWatchList`: on the stream whose initial events filled the store. */
  | { readonly name: 'watching'; readonly isWatchList: boolean }
  /** Removes every object, because the server does not serve the resource. */
  | { readonly name: 'emptying' }

/** Properties of a collection that are known before it is read. */
export interface CollectionTraits {
  /** Thousands of objects are expected. */
  readonly isLarge: boolean
  /** A server that does not serve the resource has none of its objects. */
  readonly mayBeAbsent: boolean
}

/** The state on which the decisions of a reflector depend. Times are monotonic milliseconds. */
export interface ReflectorState {
  readonly phase: Phase
  readonly collection: CollectionTraits
  /** Reason for reading the whole collection; undefined while the store is complete. */
  readonly relist: RelistReason | undefined
  /** True once the store has been complete. */
  readonly hasSynced: boolean
  /** Time at which the store last became complete. */
  readonly completeAtMs: number
  /** Start of the current series of failures. */
  readonly failingSinceMs: number | undefined
  /** Time at which the server last refused a resource version. */
  readonly expiredAtMs: number
  /** The server cannot serve the version of the store: the next read asks for the newest state. */
  readonly isVersionRefused: boolean
  /** A LIST failed. One large response may be too much for the server or the network, so a WatchList follows. */
  readonly hasListFailed: boolean
  /** WatchList is not used for this collection, because it stalled or the server rejected it. */
  readonly isWatchListDisabled: boolean
}

/** Something that happened to a reflector. */
export type ReflectorEvent =
  /** The pause before an attempt is over. `hasWatchList`: the server has not rejected WatchList so far. */
  | { readonly kind: 'resumed'; readonly objects: number; readonly hasWatchList: boolean }
  /** The store equals the collection: after a LIST, or after the initial events of a WatchList. */
  | { readonly kind: 'read-completed'; readonly atMs: number }
  /** The store is empty, because the server does not serve the resource. */
  | { readonly kind: 'emptied'; readonly atMs: number }
  /** The watch ended without an error. `fault`: the reflector ended it, because its content cannot be trusted. */
  | {
      readonly kind: 'watch-ended'
      readonly atMs: number
      readonly stream: StreamFacts
      readonly fault?: StreamFault | undefined
    }
  /** A LIST or a watch failed. */
  | { readonly kind: 'failed'; readonly atMs: number; readonly error: unknown; readonly stream: StreamFacts }

/** An action that `start-reflector.ts` performs. */
export type ReflectorEffect =
  // Tasks: they run asynchronously and end with an event. A transition starts at most one, as its last effect.
  | { readonly kind: 'list'; readonly method: ListMethod; readonly ignoresVersion: boolean }
  | { readonly kind: 'watch'; readonly isWatchList: boolean; readonly ignoresVersion: boolean }
  | { readonly kind: 'empty-store' }
  | { readonly kind: 'pause'; readonly pace: Pace; readonly atLeastMs: number }
  // Effects that end at once, without an event.
  | { readonly kind: 'announce-sync' }
  | { readonly kind: 'announce-absence' }
  | { readonly kind: 'disable-watch-list' }
  | { readonly kind: 'count-restart'; readonly reason: RestartReason }
  | { readonly kind: 'count-relist'; readonly reason: RelistReason }
  /** An expected end, such as silence on a server without bookmarks. */
  | { readonly kind: 'report-end'; readonly error: unknown }
  | { readonly kind: 'report-failure'; readonly error: unknown }

/** Length of a pause: none, the short reconnect backoff (the attempt is cheap for the server), or the full backoff. */
export type Pace = 'none' | 'reconnect' | 'backoff'

/** Returns the state before the first attempt. */
export function initialState(collection: CollectionTraits): ReflectorState {
  return {
    phase: { name: 'waiting' },
    collection,
    relist: 'start',
    hasSynced: false,
    completeAtMs: -Infinity,
    failingSinceMs: undefined,
    expiredAtMs: -Infinity,
    isVersionRefused: false,
    hasListFailed: false,
    isWatchListDisabled: false,
  }
}
