import { KubeconfigError } from '../access/kubeconfig-error.ts'
import { ApiError } from '../errors/api-error.ts'
import { SilenceError } from './read/guarded-stream.ts'
import { DOUBTFUL_SILENCE_MS } from './read/watch-into.ts'
import type { RelistReason, RestartReason } from './reflector.ts'

/** The next step of a reflector after a list or a watch ended. `pauses`: it waits for a backoff first. */
export type Outcome =
  | { readonly next: 'watch'; readonly reason: RestartReason; readonly pauses: boolean; readonly atLeastMs?: number }
  | { readonly next: 'list'; readonly reason: RelistReason; readonly pauses: boolean; readonly atLeastMs?: number }
  /** Use LIST from now on: for this collection, or for all where the server says that it does not know WatchList. */
  | { readonly next: 'list-without-watch-list'; readonly isServerWide: boolean }

/** Facts about a stream that ended. All are zero or false for an attempt that never became a stream. */
export interface StreamFacts {
  /** Whether the server answered with a stream. */
  readonly isOpen: boolean
  /** Events and bookmarks that arrived. */
  readonly frames: number
  /** How long the stream was open. */
  readonly livedMs: number
  /** How long the server has said nothing about the collection, on this stream and before it. */
  readonly silentMs: number
  /** Whether the server has ever sent a bookmark. */
  readonly hasBookmarks: boolean
}

/** The circumstances of a failed watch that decide what follows. */
export interface FailureContext {
  /** Whether the request asked for initial events that have not all arrived. */
  readonly isWatchList: boolean
  readonly livedMs: number
  /** How long attempts have been failing. */
  readonly failingMs: number
}

const SHORT_WATCH_MS = 1_000
/** Server errors that last longer end the attempts to watch on: the whole collection is read again. */
const SERVER_ERROR_WINDOW_MS = 30_000

/**
 * Decides what follows a watch or a list that failed.
 *
 * @see kubernetes v1.36 staging/src/k8s.io/client-go/tools/cache/reflector.go
 */
export function outcomeOfError(error: unknown, context: FailureContext): Outcome {
  if (error instanceof SilenceError) return { next: 'watch', reason: 'idle', pauses: context.livedMs === 0 }
  // Without credentials a quick retry only runs the exec plugin, or reads the token file, again.
  if (error instanceof KubeconfigError) return { next: 'watch', reason: 'refused', pauses: true }
  if (!(error instanceof ApiError)) return { next: 'watch', reason: 'broken', pauses: context.livedMs < SHORT_WATCH_MS }
  if (context.isWatchList && (error.status === 400 || error.status === 422 || isWatchListRefusal(error)))
    return { next: 'list-without-watch-list', isServerWide: isWatchListRefusal(error) }
  if (isVersionUnavailable(error)) return { next: 'list', reason: 'expired', pauses: false }
  const wait = error.retryAfterMs === undefined ? {} : { atLeastMs: error.retryAfterMs }
  if (error.status === 429) return { next: 'watch', reason: 'throttled', pauses: true, ...wait }
  if (error.status === 401 || error.status === 403) return { next: 'watch', reason: 'refused', pauses: true }
  if (error.status < 500) return { next: 'list', reason: 'refused', pauses: true }
  return context.failingMs < SERVER_ERROR_WINDOW_MS
    ? { next: 'watch', reason: 'server-error', pauses: true, ...wait }
    : { next: 'list', reason: 'server-error', pauses: true, ...wait }
}

/** Decides what follows a watch that the server ended in order. One without frames within a second is a failure. */
export function outcomeOfEnd({ livedMs, frames }: Pick<StreamFacts, 'livedMs' | 'frames'>): Outcome {
  return livedMs < SHORT_WATCH_MS && frames === 0
    ? { next: 'watch', reason: 'short-watch', pauses: true }
    : { next: 'watch', reason: 'end-of-stream', pauses: false }
}

/**
 * Whether a watch that ended may have missed changes: it opened, delivered nothing, and the server has long been silent
 * about the collection. On a server without bookmarks silence proves nothing: only a new read shows that nothing
 * changed.
 */
export function isDoubtful({ isOpen, frames, silentMs, hasBookmarks }: Omit<StreamFacts, 'livedMs'>): boolean {
  return isOpen && silentMs >= DOUBTFUL_SILENCE_MS && (frames === 0 || !hasBookmarks)
}

/** Turns a silent end of a doubtful watch (see {@link isDoubtful}) into a relist. */
export function withDoubt(outcome: Outcome): Outcome {
  if (outcome.next !== 'watch') return outcome
  const { reason, pauses } = outcome
  const isSilence = reason === 'idle' || reason === 'broken' || reason === 'end-of-stream' || reason === 'short-watch'
  return isSilence ? { next: 'list', reason: 'idle', pauses } : outcome
}

/** Whether the server cannot serve the requested resource version: it expired, or is newer than the server knows. */
export function isVersionUnavailable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true
  return (
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    error.serverMessage.includes('Too large resource version')
  )
}

/** Whether the server names a parameter that only a WatchList has. A wrong selector would fail a LIST as well. */
function isWatchListRefusal({ status, serverMessage }: ApiError): boolean {
  const isRefusal = status === 400 || status === 403 || status === 422
  return isRefusal && /sendInitialEvents|resourceVersionMatch/.test(serverMessage)
}
