import { KubeconfigError } from '../access/kubeconfig-error.ts'
import { ApiError } from '../errors/api-error.ts'
import { IdleTimeoutError } from './read/guarded-stream.ts'
import { DOUBTFUL_IDLE_MS } from './read/watch-into.ts'
import type { RelistReason, RestartReason } from './reflector.ts'

/** The next attempt of a reflector after a list or a watch has ended. `pauses`: it waits for a backoff first. */
export type NextAttempt =
  | { readonly next: 'watch'; readonly reason: RestartReason; readonly pauses: boolean; readonly atLeastMs?: number }
  | { readonly next: 'list'; readonly reason: RelistReason; readonly pauses: boolean; readonly atLeastMs?: number }
  /** Use LIST from now on: for this collection, or for all collections if the server does not support WatchList. */
  | { readonly next: 'list-without-watch-list'; readonly isServerWide: boolean }

/** Facts about a stream that ended. All are zero or false for an attempt that never became a stream. */
export interface StreamFacts {
  /** True if the server answered with a stream. */
  readonly isOpen: boolean
  /** Events and bookmarks that arrived. */
  readonly frames: number
  /** Time for which the stream was open. */
  readonly livedMs: number
  /** Time since the server last sent anything about the collection, on this stream or an earlier one. */
  readonly silentMs: number
  /** True if the server has ever sent a bookmark. */
  readonly hasBookmarks: boolean
}

/** Facts about a failed watch that decide which attempt follows. */
export interface FailureContext {
  /** True if the request asked for initial events and not all of them have arrived. */
  readonly isWatchList: boolean
  readonly livedMs: number
  /** Time for which attempts have been failing. */
  readonly failingMs: number
}

const SHORT_WATCH_MS = 1_000
/** After server errors for longer than this, the watch is not resumed: the whole collection is read again. */
const SERVER_ERROR_WINDOW_MS = 30_000

/**
 * Decides which attempt follows a watch or a list that failed.
 *
 * @see kubernetes v1.36 staging/src/k8s.io/client-go/tools/cache/reflector.go
 */
export function nextAfterError(error: unknown, context: FailureContext): NextAttempt {
  if (error instanceof IdleTimeoutError) return { next: 'watch', reason: 'idle', pauses: context.livedMs === 0 }
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

/**
 * Decides which attempt follows a watch that the server ended normally. A watch without frames that ends within a
 * second is a failure.
 */
export function nextAfterEnd({ livedMs, frames }: Pick<StreamFacts, 'livedMs' | 'frames'>): NextAttempt {
  return livedMs < SHORT_WATCH_MS && frames === 0
    ? { next: 'watch', reason: 'short-watch', pauses: true }
    : { next: 'watch', reason: 'end-of-stream', pauses: false }
}

/**
 * Returns whether a watch that ended may have missed changes: it opened, delivered nothing, and the server has sent
 * nothing about the collection for a long time. A server without bookmarks sends nothing while nothing changes, so only
 * a new read shows whether changes were missed.
 */
export function mayHaveMissedChanges({
  isOpen,
  frames,
  silentMs,
  hasBookmarks,
}: Omit<StreamFacts, 'livedMs'>): boolean {
  return isOpen && silentMs >= DOUBTFUL_IDLE_MS && (frames === 0 || !hasBookmarks)
}

/** Replaces a new watch by a relist if the last watch ended in silence (see {@link mayHaveMissedChanges}). */
export function relistIfSilent(attempt: NextAttempt): NextAttempt {
  if (attempt.next !== 'watch') return attempt
  const { reason, pauses } = attempt
  const isSilence = reason === 'idle' || reason === 'broken' || reason === 'end-of-stream' || reason === 'short-watch'
  return isSilence ? { next: 'list', reason: 'idle', pauses } : attempt
}

/**
 * Returns whether the server cannot serve the requested resource version: it has expired, or is newer than the server
 * knows.
 */
export function isVersionUnavailable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true
  return (
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    error.serverMessage.includes('Too large resource version')
  )
}

/**
 * Returns whether the error names a parameter that only WatchLists have. A wrong selector would fail a LIST as well.
 */
function isWatchListRefusal({ status, serverMessage }: ApiError): boolean {
  const isRefusal = status === 400 || status === 403 || status === 422
  return isRefusal && /sendInitialEvents|resourceVersionMatch/.test(serverMessage)
}
