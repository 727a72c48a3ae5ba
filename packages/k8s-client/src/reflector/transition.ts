import { isApiStatus } from '../errors/api-error.ts'
import {
  isDoubtful,
  isVersionUnavailable,
  outcomeOfEnd,
  outcomeOfError,
  withDoubt,
  type Outcome,
  type StreamFacts,
} from './outcome.ts'
import { SilenceError } from './read/guarded-stream.ts'
import { DOUBTFUL_SILENCE_MS, INITIAL_SILENCE_MS } from './read/watch-into.ts'
import type { Pace, ReflectorEffect, ReflectorEvent, ReflectorState } from './reflector-state.ts'

/** Relists closer together than this wait for the backoff, so that a server that always says 410 is not flooded. */
const MIN_RELIST_INTERVAL_MS = 10_000
/** How often a resource that the server does not serve is asked for again. */
const ABSENT_RETRY_MS = 60_000
/** A watch that lived this long ends a series of failures. */
const HEALTHY_WATCH_MS = 30_000
/** Collections of this size and more are read by one LIST, which costs a server half of what a WatchList costs it. */
const LARGE_COLLECTION = 2_000

type Step = readonly [state: ReflectorState, effects: readonly ReflectorEffect[]]
type EventOf<K extends ReflectorEvent['kind']> = Extract<ReflectorEvent, { readonly kind: K }>

const RESUME: ReflectorEffect = { kind: 'pause', pace: 'none', atLeastMs: 0 }

/**
 * Decides what a reflector does after an event. It is pure: the driver (`start-reflector.ts`) runs the effects, and
 * the end of each task is the next event.
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

/** Watches where the store is complete; else reads everything, by the method that suits server and collection. */
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

/** That the server does not serve the resource is a complete answer, too. */
function completeEmptying(state: ReflectorState, { atMs }: EventOf<'emptied'>): Step {
  if (state.phase.name !== 'emptying') throw unexpected(state, 'emptied')
  const [complete, effects] = markComplete(state, atMs)
  const notes: readonly ReflectorEffect[] = state.hasSynced ? [] : [{ kind: 'announce-absence' }]
  const outcome: Outcome = { next: 'list', reason: 'absent', pauses: true, atLeastMs: ABSENT_RETRY_MS }
  return follow(complete, outcome, atMs, [...notes, ...effects])
}

function endWatch(state: ReflectorState, { atMs, stream, fault }: EventOf<'watch-ended'>): Step {
  const { name } = state.phase
  if (name !== 'watching' && name !== 'watch-listing') throw unexpected(state, 'watch-ended')
  const healthy = { ...state, failingSinceMs: undefined }
  if (fault !== undefined) return follow(healthy, { next: 'list', reason: fault, pauses: true }, atMs)
  // A server that closes a long initial stream without marking its end does not know WatchList.
  if (name === 'watch-listing' && stream.livedMs >= INITIAL_SILENCE_MS)
    return follow(healthy, { next: 'list-without-watch-list', isServerWide: false }, atMs)
  return follow(healthy, doubted(outcomeOfEnd(stream), stream), atMs)
}

function failAttempt(state: ReflectorState, { error, atMs, stream }: EventOf<'failed'>): Step {
  const { phase, collection } = state
  if (phase.name === 'waiting' || phase.name === 'emptying') throw unexpected(state, 'failed')
  if (collection.mayBeAbsent && isApiStatus(error, 404))
    return [{ ...state, phase: { name: 'emptying' } }, [{ kind: 'empty-store' }]]
  const failing = noteFailure(state, error, atMs, stream)
  const isInitial = phase.name === 'watch-listing' && failing.relist !== undefined
  const outcome = outcomeOfFailure(failing, error, atMs, stream, isInitial)
  const reports = reportsOf(error, outcome, stream)
  const isReading = phase.name !== 'watching' || phase.isWatchList
  if (!isReading || state.isVersionRefused || !isVersionUnavailable(error))
    return follow(failing, outcome, atMs, reports)
  // The server cannot serve the stored version: the next read requests the newest state, at once.
  const refused = { ...failing, isVersionRefused: true }
  return follow(refused, { next: 'list', reason: 'expired', pauses: false }, atMs, reports, true)
}

function noteFailure(state: ReflectorState, error: unknown, atMs: number, { livedMs }: StreamFacts): ReflectorState {
  const hasListFailed = state.hasListFailed || state.phase.name === 'listing'
  // Reading fails as watching did: the server is unwell, not the watch. The store is still complete.
  if (state.relist === 'server-error' && !isVersionUnavailable(error))
    return { ...state, hasListFailed, relist: undefined, failingSinceMs: atMs }
  const wasHealthy = livedMs > HEALTHY_WATCH_MS
  return { ...state, hasListFailed, failingSinceMs: wasHealthy ? atMs : (state.failingSinceMs ?? atMs) }
}

/** @param isInitial - Whether the watch failed before all of its initial events had arrived. */
function outcomeOfFailure(
  { failingSinceMs }: ReflectorState,
  error: unknown,
  atMs: number,
  stream: StreamFacts,
  isInitial: boolean,
): Outcome {
  // A server that accepted a WatchList and then fell silent may ignore parameters that it does not know.
  if (isInitial && stream.isOpen && error instanceof SilenceError)
    return { next: 'list-without-watch-list', isServerWide: false }
  const failingMs = atMs - (failingSinceMs ?? atMs)
  return doubted(outcomeOfError(error, { isWatchList: isInitial, livedMs: stream.livedMs, failingMs }), stream)
}

function doubted(outcome: Outcome, stream: StreamFacts): Outcome {
  return isDoubtful(stream) ? withDoubt(outcome) : outcome
}

function reportsOf(error: unknown, outcome: Outcome, stream: StreamFacts): readonly ReflectorEffect[] {
  const isExpectedSilence =
    error instanceof SilenceError && (stream.livedMs < DOUBTFUL_SILENCE_MS || !stream.hasBookmarks)
  const isThrottled = outcome.next === 'watch' && outcome.reason === 'throttled'
  if (isExpectedSilence || isThrottled) return [{ kind: 'report-end', error }]
  return outcome.next === 'list-without-watch-list' ? [] : [{ kind: 'report-failure', error }]
}

/** Waits for the next attempt as `outcome` says. `isFirstRefusal`: the version was not refused before. */
function follow(
  state: ReflectorState,
  outcome: Outcome,
  atMs: number,
  reports: readonly ReflectorEffect[] = [],
  isFirstRefusal = false,
): Step {
  const waiting: ReflectorState = { ...state, phase: { name: 'waiting' } }
  switch (outcome.next) {
    case 'list-without-watch-list':
      return outcome.isServerWide
        ? [waiting, [...reports, { kind: 'disable-watch-list' }, RESUME]]
        : [{ ...waiting, isWatchListDisabled: true }, [...reports, RESUME]]
    case 'watch': {
      const { reason, pauses } = outcome
      return [waiting, [...reports, { kind: 'count-restart', reason }, pauseBefore(waiting, outcome, pauses)]]
    }
    case 'list': {
      const { reason } = outcome
      const isExpired = reason === 'expired'
      const isTooSoon = isExpired && !isFirstRefusal && atMs - state.expiredAtMs < MIN_RELIST_INTERVAL_MS
      const next: ReflectorState = {
        ...waiting,
        // A server error leaves the store complete; every other reason stays until a read succeeds.
        relist: state.relist === undefined || state.relist === 'server-error' ? reason : state.relist,
        expiredAtMs: isExpired ? atMs : state.expiredAtMs,
      }
      const pause = pauseBefore(next, outcome, outcome.pauses || isTooSoon)
      return [next, [...reports, { kind: 'count-relist', reason }, pause]]
    }
  }
}

type Attempt = Exclude<Outcome, { readonly next: 'list-without-watch-list' }>

function pauseBefore(state: ReflectorState, outcome: Attempt, pauses: boolean): ReflectorEffect {
  if (!pauses) return RESUME
  const pace: Pace = isCheap(state, outcome) ? 'reconnect' : 'backoff'
  return { kind: 'pause', pace, atLeastMs: outcome.atLeastMs ?? 0 }
}

/**
 * Whether the next attempt costs the server little: the server is away, or has named the time to come back, or only a
 * watch is asked for, or a read now and then.
 */
function isCheap({ relist, completeAtMs, failingSinceMs }: ReflectorState, outcome: Attempt): boolean {
  const { next, reason, atLeastMs } = outcome
  if (reason === 'throttled') return atLeastMs !== undefined
  if (reason !== 'server-error') return reason === 'broken'
  if (next === 'watch' && relist === undefined) return true
  // If everything was read while watches kept failing, one read would follow the other.
  return completeAtMs < (failingSinceMs ?? Infinity)
}

function unexpected({ phase }: ReflectorState, event: ReflectorEvent['kind']): TypeError {
  return new TypeError(`a reflector that is ${phase.name} cannot handle "${event}"`)
}
