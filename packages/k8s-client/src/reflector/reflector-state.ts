import type { StreamFacts } from './outcome.ts'
import type { ListMethod } from './read/list-into.ts'
import type { StreamFault } from './read/watch-into.ts'
import type { RelistReason, RestartReason } from './reflector.ts'

/** Where a reflector is in its work; always in exactly one of these. */
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

/** Everything that decides about the next step of a reflector. Times are monotonic milliseconds. */
export interface ReflectorState {
  readonly phase: Phase
  readonly collection: CollectionTraits
  /** Why the whole collection has to be read; undefined while the store is complete. */
  readonly relist: RelistReason | undefined
  /** Whether the store has been complete once. */
  readonly hasSynced: boolean
  /** When the store last became complete. */
  readonly completeAtMs: number
  /** Start of the current series of failures. */
  readonly failingSinceMs: number | undefined
  /** When the server last refused a resource version. */
  readonly expiredAtMs: number
  /** The server cannot serve the version that is held: the next read asks for the newest state. */
  readonly isVersionRefused: boolean
  /** The last LIST failed. One answer with everything may be too much for a server or a line: a WatchList is next. */
  readonly hasListFailed: boolean
  /** A stall or a bad selector has ruled WatchList out, for this collection only. */
  readonly isWatchListDisabled: boolean
}

/** Something that happened to a reflector. */
export type ReflectorEvent =
  /** The pause before an attempt is over. `hasWatchList`: as far as known, the server understands WatchList. */
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

/** Something that the driver does. */
export type ReflectorEffect =
  // Tasks: each ends with an event. A transition starts at most one, as its last effect.
  | { readonly kind: 'list'; readonly method: ListMethod; readonly ignoresVersion: boolean }
  | { readonly kind: 'watch'; readonly isWatchList: boolean; readonly ignoresVersion: boolean }
  | { readonly kind: 'empty-store' }
  | { readonly kind: 'pause'; readonly pace: Pace; readonly atLeastMs: number }
  // Notes: done at once.
  | { readonly kind: 'announce-sync' }
  | { readonly kind: 'announce-absence' }
  | { readonly kind: 'disable-watch-list' }
  | { readonly kind: 'count-restart'; readonly reason: RestartReason }
  | { readonly kind: 'count-relist'; readonly reason: RelistReason }
  /** An expected end, such as silence on a server without bookmarks. */
  | { readonly kind: 'report-end'; readonly error: unknown }
  | { readonly kind: 'report-failure'; readonly error: unknown }

/** How long to pause: not at all, briefly (an attempt is cheap for the server), or with the full backoff. */
export type Pace = 'none' | 'reconnect' | 'backoff'

/** The state before the first attempt. */
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
