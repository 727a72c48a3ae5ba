import { ApiError, type CallSubject } from '../errors.ts'
import { SilenceError } from './guarded-stream.ts'
import type { RelistReason, RestartReason } from './types.ts'

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
  /** The server does not know WatchList: use LIST from now on. */
  | { readonly next: 'list-without-watch-list' }

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
  if (!(error instanceof ApiError)) return { next: 'watch', reason: 'broken', pauses: context.livedMs < SHORT_WATCH_MS }
  if (context.isWatchList && isWatchListRefusal(error)) return { next: 'list-without-watch-list' }
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

/** Whether the asked resource version cannot be served: expired, or newer than the server knows. */
export function isVersionUnavailable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone') return true
  return (
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
    error.serverMessage.includes('Too large resource version')
  )
}

function isWatchListRefusal(error: ApiError): boolean {
  if (error.status === 400 || error.status === 422) return true
  return error.status === 403 && error.serverMessage.includes('sendInitialEvents')
}

/** The error that an ERROR frame carries. */
export function errorOfFrame(subject: CallSubject, object: unknown): ApiError {
  const status = typeof object === 'object' && object !== null ? object : {}
  const code: unknown = 'code' in status ? status.code : undefined
  return new ApiError(subject, typeof code === 'number' ? code : 500, status)
}
