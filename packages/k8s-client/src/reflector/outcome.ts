import { ApiError, type CallSubject } from '../errors/api-error.ts'
import { KubeconfigError } from '../access/kubeconfig-error.ts'
import { SilenceError } from './read/guarded-stream.ts'
import type { RelistReason, RestartReason } from './reflector.ts'

/** What a reflector does after a watch or a list has ended. `pauses`: wait for the backoff before. */
export type Outcome =
  | { readonly next: 'watch'; readonly reason: RestartReason; readonly pauses: boolean; readonly atLeastMs?: number }
  | {
      readonly next: 'list'
      readonly reason: RelistReason
      readonly pauses: boolean
      readonly atLeastMs?: number
      /** The first time that the server refuses our version while reading: the next read asks without one. */
      readonly isFirst?: boolean
    }
  /** Use LIST from now on: for this collection, or for all where the server says that it does not know WatchList. */
  | { readonly next: 'list-without-watch-list'; readonly isServerWide: boolean }

/** The state that decides about a failure. */
export interface FailureContext {
  /** Whether the request asked for initial events. */
  readonly isWatchList: boolean
  /** How long the stream was open; 0 when it never opened. */
  readonly livedMs: number
  /** How long server errors have lasted. */
  readonly failingMs: number
}

const SHORT_WATCH_MS = 1_000
/** How long a watch is tried again through server errors before everything is read again. */
const SERVER_ERROR_WINDOW_MS = 30_000

/** A watch that has thrown: what now? Follows client-go's reflector (v1.36). */
export function outcomeOfError(error: unknown, context: FailureContext): Outcome {
  if (error instanceof SilenceError) return { next: 'watch', reason: 'idle', pauses: context.livedMs === 0 }
  // No credentials: to run the plugin again and again, or to read the file, helps nobody.
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

/** A watch that the server has ended in order. One that told nothing and lasted under a second is a failure. */
export function outcomeOfEnd(livedMs: number, events: number): Outcome {
  return livedMs < SHORT_WATCH_MS && events === 0
    ? { next: 'watch', reason: 'short-watch', pauses: true }
    : { next: 'watch', reason: 'end-of-stream', pauses: false }
}

/** Silence up to here is none: a bookmark comes about once a minute. */
export const DOUBTFUL_SILENCE_MS = 90_000

/** What is known when a watch has ended. */
export interface SilenceContext {
  /** Whether the server had answered with a stream. */
  readonly isOpen: boolean
  /** Events and bookmarks that the watch told. */
  readonly frames: number
  /** How long the server has said nothing about the collection, on this watch and before. */
  readonly silentMs: number
  /** Whether the server has ever sent a bookmark. */
  readonly hasBookmarks: boolean
}

/**
 * Whether a watch that has ended may have kept news back: it opened, said nothing, and nothing has been heard for long.
 * Where there are no bookmarks silence says nothing at all, and only a new read tells that there is no news.
 */
export function isDoubtful({ isOpen, frames, silentMs, hasBookmarks }: SilenceContext): boolean {
  return isOpen && silentMs >= DOUBTFUL_SILENCE_MS && (frames === 0 || !hasBookmarks)
}

/** Reads everything where it would watch on, because of what {@link isDoubtful} says. */
export function withDoubt(outcome: Outcome): Outcome {
  if (outcome.next !== 'watch') return outcome
  const { reason, pauses } = outcome
  const isSilence = reason === 'idle' || reason === 'broken' || reason === 'end-of-stream' || reason === 'short-watch'
  return isSilence ? { next: 'list', reason: 'idle', pauses } : outcome
}

/** Whether the asked resource version cannot be served: expired, or newer than the server knows. */
export function isVersionUnavailable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true
  return (
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    error.serverMessage.includes('Too large resource version')
  )
}

/** Whether the server names what only a WatchList asks for; a selector may be as wrong for a LIST. */
function isWatchListRefusal({ status, serverMessage }: ApiError): boolean {
  const isRefusal = status === 400 || status === 403 || status === 422
  return isRefusal && /sendInitialEvents|resourceVersionMatch/.test(serverMessage)
}

/** The error that an ERROR frame carries. */
export function errorOfFrame(subject: CallSubject, object: unknown): ApiError {
  const status = typeof object === 'object' && object !== null ? object : {}
  const code: unknown = 'code' in status ? status.code : undefined
  return new ApiError(subject, typeof code === 'number' ? code : 500, status)
}
