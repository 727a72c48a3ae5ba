import { isApiStatus } from '../errors/api-error.ts'
import {
  mayHaveMissedChanges,
  isVersionUnavailable,
  nextAfterEnd,
  nextAfterError,
  relistIfSilent,
  type NextAttempt,
  type StreamFacts,
} from './next-attempt.ts'
import { IdleTimeoutError } from './read/guarded-stream.ts'
import { DOUBTFUL_IDLE_MS, INITIAL_IDLE_MS } from './read/watch-into.ts'
import type { Pace, ReflectorEffect, ReflectorEvent, ReflectorState } from './reflector-state.ts'

/**
 * Relists that follow each other faster wait for the backoff, so that a server that always answers 410 is not flooded.
 */
const MIN_RELIST_INTERVAL_MS = 10_000
/** Interval of the retries for a resource that the server does not serve. */
const ABSENT_RETRY_MS = 60_000
/** A watch that lived this long ends a series of failures. */
const HEALTHY_WATCH_MS = 30_000
/** Collections of at least this size are read by one LIST, which costs the server half as much as a WatchList. */
const LARGE_COLLECTION = 2_000

type Step = readonly [state: ReflectorState, effects: readonly ReflectorEffect[]]
type EventOf<K extends ReflectorEvent['kind']> = Extract<ReflectorEvent, { readonly kind: K }>

const RESUME: ReflectorEffect = { kind: 'pause', pace: 'none', atLeastMs: 0 }

/**
 * Decides what a reflector does after an event. It is a pure function: `start-reflector.ts` runs the effects, and
 * the result of each task is the next event.
 *
 * ```
 *              resumed            read-completed
 *   waiting ───────────▶ listing ────────────────▶ waiting
 *           ───────────▶ watch-listing ──────────▶ watching
 *           ───────────▶ watching
 *   listing, watch-listing, watching ── watch-ended, failed ──▶ waiting
 *   listing, watch-listing, watching ── failed with 404 ──▶ emptying ── emptied ──▶ waiting
 * ```
 *
 * @throws TypeError for an event that cannot happen in the current phase
 */
export function transition(state: ReflectorState, event: ReflectorEvent): Step {
  switch (event.kind) {
    case 'resumed':
      return startAttempt(state, event)
    case 'read-completed':
      return completeRead(state, event)
    case 'emptied':
      return completeEmptying(state, event)
    case 'watch-ended':
      return endWatch(state, event)
    case 'failed':
      return failAttempt(state, event)
  }
}

/**
 * Starts a watch if the store is complete. Otherwise starts a LIST or a WatchList, depending on server and collection.
 */
function startAttempt(state: ReflectorState, { objects, hasWatchList }: EventOf<'resumed'>): Step {
  if (state.phase.name !== 'waiting') throw unexpected(state, 'resumed')
  const ignoresVersion = state.isVersionRefused
  if (state.relist === undefined)
    return [
      { ...state, phase: { name: 'watching', isWatchList: false } },
      [{ kind: 'watch', isWatchList: false, ignoresVersion }],
    ]
  const isLarge = state.collection.isLarge || objects >= LARGE_COLLECTION
  const canWatchList = hasWatchList && !state.isWatchListDisabled
  return canWatchList && (!isLarge || state.hasListFailed)
    ? [{ ...state, phase: { name: 'watch-listing' } }, [{ kind: 'watch', isWatchList: true, ignoresVersion }]]
    : [
        { ...state, phase: { name: 'listing' } },
        [{ kind: 'list', method: canWatchList ? 'whole' : 'paged', ignoresVersion }],
      ]
}

function completeRead(state: ReflectorState, { atMs }: EventOf<'read-completed'>): Step {
  const [complete, effects] = markComplete({ ...state, isVersionRefused: false }, atMs)
  if (state.phase.name === 'listing') return [{ ...complete, phase: { name: 'waiting' } }, [...effects, RESUME]]
  if (state.phase.name === 'watch-listing')
    return [{ ...complete, phase: { name: 'watching', isWatchList: true } }, effects]
  throw unexpected(state, 'read-completed')
}

function markComplete(state: ReflectorState, atMs: number): Step {
  return [
    { ...state, relist: undefined, hasListFailed: false, completeAtMs: atMs, hasSynced: true },
    state.hasSynced ? [] : [{ kind: 'announce-sync' }],
  ]
}

/** Marks the emptied store as complete, because a resource that is not served has no objects. */
function completeEmptying(state: ReflectorState, { atMs }: EventOf<'emptied'>): Step {
  if (state.phase.name !== 'emptying') throw unexpected(state, 'emptied')
  const [complete, effects] = markComplete(state, atMs)
  const notes: readonly ReflectorEffect[] = state.hasSynced ? [] : [{ kind: 'announce-absence' }]
  const attempt: NextAttempt = { next: 'list', reason: 'absent', pauses: true, atLeastMs: ABSENT_RETRY_MS }
  return scheduleNext(complete, attempt, atMs, [...notes, ...effects])
}

function endWatch(state: ReflectorState, { atMs, stream, fault }: EventOf<'watch-ended'>): Step {
  const { name } = state.phase
  if (name !== 'watching' && name !== 'watch-listing') throw unexpected(state, 'watch-ended')
  const healthy = { ...state, failingSinceMs: undefined }
  // The server's cache may be behind, too: the next read requests the newest state, at once.
  if (fault === 'behind') {
    const behind = { ...healthy, isVersionRefused: true }
    return scheduleNext(behind, { next: 'list', reason: fault, pauses: false }, atMs)
  }
  if (fault !== undefined) return scheduleNext(healthy, { next: 'list', reason: fault, pauses: true }, atMs)
  // A server that closes a long initial stream without marking its end does not know WatchList.
  if (name === 'watch-listing' && stream.livedMs >= INITIAL_IDLE_MS)
    return scheduleNext(healthy, { next: 'list-without-watch-list', isServerWide: false }, atMs)
  return scheduleNext(healthy, correctForMissedChanges(nextAfterEnd(stream), stream), atMs)
}

function failAttempt(state: ReflectorState, { error, atMs, stream }: EventOf<'failed'>): Step {
  const { phase, collection } = state
  if (phase.name === 'waiting' || phase.name === 'emptying') throw unexpected(state, 'failed')
  if (collection.mayBeAbsent && isApiStatus(error, 404))
    return [{ ...state, phase: { name: 'emptying' } }, [{ kind: 'empty-store' }]]
  const failing = noteFailure(state, error, atMs, stream)
  const isInitial = phase.name === 'watch-listing' && failing.relist !== undefined
  const attempt = nextAfterFailure(failing, error, atMs, stream, isInitial)
  const reports = reportsOf(error, attempt, stream)
  const isReading = phase.name !== 'watching' || phase.isWatchList
  if (!isReading || state.isVersionRefused || !isVersionUnavailable(error))
    return scheduleNext(failing, attempt, atMs, reports)
  // The server cannot serve the stored version: the next read requests the newest state, at once.
  const refused = { ...failing, isVersionRefused: true }
  return scheduleNext(refused, { next: 'list', reason: 'expired', pauses: false }, atMs, reports, true)
}

function noteFailure(state: ReflectorState, error: unknown, atMs: number, { livedMs }: StreamFacts): ReflectorState {
  const hasListFailed = state.hasListFailed || state.phase.name === 'listing'
  // The list failed like the watch before it, so the cause is the server and not the watch. The store is still
  // complete.
  if (state.relist === 'server-error' && !isVersionUnavailable(error))
    return { ...state, hasListFailed, relist: undefined, failingSinceMs: atMs }
  const wasHealthy = livedMs > HEALTHY_WATCH_MS
  return { ...state, hasListFailed, failingSinceMs: wasHealthy ? atMs : (state.failingSinceMs ?? atMs) }
}

/**
 * Decides which attempt follows a failure.
 *
 * @param isInitial - True if the watch failed before all of its initial events had arrived.
 */
function nextAfterFailure(
  { failingSinceMs }: ReflectorState,
  error: unknown,
  atMs: number,
  stream: StreamFacts,
  isInitial: boolean,
): NextAttempt {
  // A server that accepted a WatchList and then fell silent may ignore parameters that it does not know.
  if (isInitial && stream.isOpen && error instanceof IdleTimeoutError)
    return { next: 'list-without-watch-list', isServerWide: false }
  const failingMs = atMs - (failingSinceMs ?? atMs)
  return correctForMissedChanges(
    nextAfterError(error, { isWatchList: isInitial, livedMs: stream.livedMs, failingMs }),
    stream,
  )
}

function correctForMissedChanges(attempt: NextAttempt, stream: StreamFacts): NextAttempt {
  return mayHaveMissedChanges(stream) ? relistIfSilent(attempt) : attempt
}

function reportsOf(error: unknown, attempt: NextAttempt, stream: StreamFacts): readonly ReflectorEffect[] {
  const isExpectedSilence =
    error instanceof IdleTimeoutError && (stream.livedMs < DOUBTFUL_IDLE_MS || !stream.hasBookmarks)
  const isThrottled = attempt.next === 'watch' && attempt.reason === 'throttled'
  if (isExpectedSilence || isThrottled) return [{ kind: 'report-end', error }]
  return attempt.next === 'list-without-watch-list' ? [] : [{ kind: 'report-failure', error }]
}

/** Enters the waiting phase until `attempt` may start. `isFirstRefusal`: the version was not refused before. */
function scheduleNext(
  state: ReflectorState,
  attempt: NextAttempt,
  atMs: number,
  reports: readonly ReflectorEffect[] = [],
  isFirstRefusal = false,
): Step {
  const waiting: ReflectorState = { ...state, phase: { name: 'waiting' } }
  switch (attempt.next) {
    case 'list-without-watch-list':
      return attempt.isServerWide
        ? [waiting, [...reports, { kind: 'disable-watch-list' }, RESUME]]
        : [{ ...waiting, isWatchListDisabled: true }, [...reports, RESUME]]
    case 'watch': {
      const { reason, pauses } = attempt
      return [waiting, [...reports, { kind: 'count-restart', reason }, pauseBefore(waiting, attempt, pauses)]]
    }
    case 'list': {
      const { reason } = attempt
      const isExpired = reason === 'expired'
      const isTooSoon = isExpired && !isFirstRefusal && atMs - state.expiredAtMs < MIN_RELIST_INTERVAL_MS
      const next: ReflectorState = {
        ...waiting,
        // A server error leaves the store complete; every other reason stays until a read succeeds.
        relist: state.relist === undefined || state.relist === 'server-error' ? reason : state.relist,
        expiredAtMs: isExpired ? atMs : state.expiredAtMs,
      }
      const pause = pauseBefore(next, attempt, attempt.pauses || isTooSoon)
      return [next, [...reports, { kind: 'count-relist', reason }, pause]]
    }
  }
}

type ListOrWatch = Exclude<NextAttempt, { readonly next: 'list-without-watch-list' }>

function pauseBefore(state: ReflectorState, attempt: ListOrWatch, pauses: boolean): ReflectorEffect {
  if (!pauses) return RESUME
  const pace: Pace = isCheap(state, attempt) ? 'reconnect' : 'backoff'
  return { kind: 'pause', pace, atLeastMs: attempt.atLeastMs ?? 0 }
}

/**
 * Returns whether the next attempt costs the server little, so that a short backoff is enough. That is so if the server
 * cannot be reached, if it sent a Retry-After, or after server errors if only a watch or an occasional read follows.
 */
function isCheap({ relist, completeAtMs, failingSinceMs }: ReflectorState, attempt: ListOrWatch): boolean {
  const { next, reason, atLeastMs } = attempt
  if (reason === 'throttled') return atLeastMs !== undefined
  if (reason !== 'server-error') return reason === 'broken'
  if (next === 'watch' && relist === undefined) return true
  // If a read succeeded while watches kept failing, fast retries would repeat the read again and again.
  return completeAtMs < (failingSinceMs ?? Infinity)
}

function unexpected({ phase }: ReflectorState, event: ReflectorEvent['kind']): TypeError {
  return new TypeError(`a reflector that is ${phase.name} cannot handle "${event}"`)
}
