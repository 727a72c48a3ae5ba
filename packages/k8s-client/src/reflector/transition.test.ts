import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors/api-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { StreamFacts } from './next-attempt.ts'
import { IdleTimeoutError } from './read/guarded-stream.ts'
import {
  initialState,
  type Phase,
  type ReflectorEffect,
  type ReflectorEvent,
  type ReflectorState,
} from './reflector-state.ts'
import type { RelistReason, RestartReason } from './reflector.ts'
import { transition } from './transition.ts'

const NOW = 1_000_000

const before = (phase: Phase['name'], changes: Partial<ReflectorState> = {}): ReflectorState => ({
  ...initialState({ isLarge: false, mayBeAbsent: false }),
  phase: phase === 'watching' ? { name: phase, isWatchList: false } : { name: phase },
  ...changes,
})
/** A reflector whose store is complete and that watches. */
const watching = (changes: Partial<ReflectorState> = {}): ReflectorState =>
  before('watching', { relist: undefined, hasSynced: true, completeAtMs: NOW - 60_000, ...changes })
/** A reflector that reads again after it was complete. */
const rereading = (phase: 'listing' | 'watch-listing', changes: Partial<ReflectorState> = {}): ReflectorState =>
  before(phase, { relist: 'expired', hasSynced: true, completeAtMs: NOW - 60_000, ...changes })

const refusal = (status: number, message = '', retryAfterMs?: number): ApiError =>
  new ApiError({ verb: 'watch', resource: 'pods' }, status, { message }, retryAfterMs)
const broken = new TransportError('read ECONNRESET', { code: 'BERTH_API_BROKEN', delivered: 'unknown' })
const silence = new IdleTimeoutError('GET /api/v1/pods', 150_000)

const quickStream: StreamFacts = { isOpen: true, frames: 3, livedMs: 5_000, silentMs: 100, hasBookmarks: true }
const noStream: StreamFacts = { isOpen: false, frames: 0, livedMs: 0, silentMs: 0, hasBookmarks: false }
const resumed = (objects = 0, hasWatchList = true): ReflectorEvent => ({ kind: 'resumed', objects, hasWatchList })
const completed: ReflectorEvent = { kind: 'read-completed', atMs: NOW }
const failed = (error: unknown, stream: Partial<StreamFacts> = {}): ReflectorEvent => ({
  kind: 'failed',
  atMs: NOW,
  error,
  stream: { ...noStream, ...stream },
})
const ended = (
  stream: Partial<StreamFacts> = {},
  fault?: Extract<ReflectorEvent, { kind: 'watch-ended' }>['fault'],
): ReflectorEvent => ({ kind: 'watch-ended', atMs: NOW, stream: { ...quickStream, ...stream }, fault })

const resume: ReflectorEffect = { kind: 'pause', pace: 'none', atLeastMs: 0 }
const backoff: ReflectorEffect = { kind: 'pause', pace: 'backoff', atLeastMs: 0 }
const reconnect: ReflectorEffect = { kind: 'pause', pace: 'reconnect', atLeastMs: 0 }
const restart = (reason: RestartReason): ReflectorEffect => ({
  kind: 'count-restart',
  reason,
})
const relist = (reason: RelistReason): ReflectorEffect => ({
  kind: 'count-relist',
  reason,
})
const failure = (error: unknown): ReflectorEffect => ({ kind: 'report-failure', error })

interface Row {
  readonly it: string
  readonly state: ReflectorState
  readonly event: ReflectorEvent
  readonly phase: Phase['name']
  /** Fields of the next state that differ from `state`, apart from the phase. */
  readonly changes?: Partial<ReflectorState>
  readonly effects: readonly ReflectorEffect[]
}

function check({ state, event, phase, changes, effects }: Row): void {
  const [next, happened] = transition(state, event)
  expect(next.phase.name).toBe(phase)
  expect({ ...next, phase: undefined }).toEqual({ ...state, ...changes, phase: undefined })
  expect(happened).toEqual(effects)
}

const watchList: ReflectorEffect = { kind: 'watch', isWatchList: true, ignoresVersion: false }
const watchOn: ReflectorEffect = { kind: 'watch', isWatchList: false, ignoresVersion: false }
const wholeList: ReflectorEffect = { kind: 'list', method: 'whole', ignoresVersion: false }
const pagedList: ReflectorEffect = { kind: 'list', method: 'paged', ignoresVersion: false }

describe('the start of an attempt', () => {
  const start = before('waiting')
  const large = before('waiting', { collection: { isLarge: true, mayBeAbsent: false } })
  test.for<Row>([
    {
      it: 'reads a small collection by a WatchList',
      state: start,
      event: resumed(),
      phase: 'watch-listing',
      effects: [watchList],
    },
    {
      it: 'reads a collection that is declared large by one LIST',
      state: large,
      event: resumed(),
      phase: 'listing',
      effects: [wholeList],
    },
    {
      it: 'reads a WatchList up to 1,999 objects',
      state: start,
      event: resumed(1_999),
      phase: 'watch-listing',
      effects: [watchList],
    },
    {
      it: 'reads one LIST from 2,000 objects on',
      state: start,
      event: resumed(2_000),
      phase: 'listing',
      effects: [wholeList],
    },
    {
      it: 'reads a large collection by a WatchList after a LIST failed',
      state: { ...large, hasListFailed: true },
      event: resumed(),
      phase: 'watch-listing',
      effects: [watchList],
    },
    {
      it: 'reads pages from a server without WatchList',
      state: start,
      event: resumed(0, false),
      phase: 'listing',
      effects: [pagedList],
    },
    {
      it: 'reads pages where WatchList failed for this collection',
      state: { ...start, isWatchListDisabled: true },
      event: resumed(),
      phase: 'listing',
      effects: [pagedList],
    },
    {
      it: 'ignores a version that the server refused',
      state: { ...large, isVersionRefused: true },
      event: resumed(),
      phase: 'listing',
      effects: [{ kind: 'list', method: 'whole', ignoresVersion: true }],
    },
    {
      it: 'watches on while the store is complete',
      state: { ...watching(), phase: { name: 'waiting' } },
      event: resumed(9_999),
      phase: 'watching',
      effects: [watchOn],
    },
  ])('$it', check)
})

describe('a complete read', () => {
  const changes = { relist: undefined, hasSynced: true, completeAtMs: NOW }
  test.for<Row>([
    {
      it: 'announces the first sync, then watches',
      state: before('listing'),
      event: completed,
      phase: 'waiting',
      changes,
      effects: [{ kind: 'announce-sync' }, resume],
    },
    {
      it: 'continues on the same stream after a WatchList',
      state: before('watch-listing'),
      event: completed,
      phase: 'watching',
      changes,
      effects: [{ kind: 'announce-sync' }],
    },
    {
      it: 'announces no second sync, and forgets a refused version and a failed LIST',
      state: rereading('listing', { isVersionRefused: true, hasListFailed: true }),
      event: completed,
      phase: 'waiting',
      changes: { ...changes, isVersionRefused: false, hasListFailed: false },
      effects: [resume],
    },
    {
      it: 'does not end a series of failures: watches may still fail',
      state: rereading('listing', { failingSinceMs: NOW - 40_000 }),
      event: completed,
      phase: 'waiting',
      changes,
      effects: [resume],
    },
  ])('$it', check)
})

describe('a resource that may be absent', () => {
  const collection = { isLarge: false, mayBeAbsent: true }
  test.for<Row>([
    {
      it: 'empties the store after a 404',
      state: before('listing', { collection }),
      event: failed(refusal(404)),
      phase: 'emptying',
      effects: [{ kind: 'empty-store' }],
    },
    {
      it: 'empties the store when it disappears while it is watched',
      state: watching({ collection }),
      event: failed(refusal(404)),
      phase: 'emptying',
      effects: [{ kind: 'empty-store' }],
    },
    {
      it: 'counts as synced once the store is empty, and is read again after a minute',
      state: before('emptying', { collection }),
      event: { kind: 'emptied', atMs: NOW },
      phase: 'waiting',
      changes: { relist: 'absent', hasSynced: true, completeAtMs: NOW },
      effects: [
        { kind: 'announce-absence' },
        { kind: 'announce-sync' },
        { kind: 'count-relist', reason: 'absent' },
        { kind: 'pause', pace: 'backoff', atLeastMs: 60_000 },
      ],
    },
  ])('$it', check)

  test('is read again after a 404 where the resource must exist', () => {
    const [next, effects] = transition(before('listing'), failed(refusal(404)))
    expect(next).toMatchObject({ phase: { name: 'waiting' }, relist: 'start', hasListFailed: true })
    expect(effects).toContainEqual({ kind: 'count-relist', reason: 'refused' })
  })
})

describe('the end of a watch', () => {
  const quietStream = { frames: 0, livedMs: 300_000, silentMs: 90_000 }
  test.for<Row>([
    {
      it: 'watches again at once',
      state: watching(),
      event: ended(),
      phase: 'waiting',
      effects: [restart('end-of-stream'), resume],
    },
    {
      it: 'ends a series of failures',
      state: watching({ failingSinceMs: NOW - 9_000 }),
      event: ended(),
      phase: 'waiting',
      changes: { failingSinceMs: undefined },
      effects: [restart('end-of-stream'), resume],
    },
    {
      it: 'waits when the watch ended within a second without a frame',
      state: watching(),
      event: ended({ frames: 0, livedMs: 999 }),
      phase: 'waiting',
      effects: [restart('short-watch'), backoff],
    },
    {
      it: 'reads everything when nothing was heard for 90 seconds',
      state: watching(),
      event: ended(quietStream),
      phase: 'waiting',
      changes: { relist: 'idle' },
      effects: [relist('idle'), resume],
    },
    {
      it: 'trusts a silence under 90 seconds',
      state: watching(),
      event: ended({ ...quietStream, silentMs: 89_999 }),
      phase: 'waiting',
      effects: [restart('end-of-stream'), resume],
    },
    {
      it: 'reads everything on a server without bookmarks, even if the watch delivered frames',
      state: watching(),
      event: ended({ ...quietStream, frames: 3, hasBookmarks: false }),
      phase: 'waiting',
      changes: { relist: 'idle' },
      effects: [relist('idle'), resume],
    },
    {
      it: 'reads everything after a line that cannot be decoded',
      state: watching(),
      event: ended({}, 'undecodable'),
      phase: 'waiting',
      changes: { relist: 'undecodable' },
      effects: [relist('undecodable'), backoff],
    },
    {
      it: 'reads everything after an event from the past',
      state: watching(),
      event: ended({}, 'out-of-order'),
      phase: 'waiting',
      changes: { relist: 'out-of-order' },
      effects: [relist('out-of-order'), backoff],
    },
    {
      it: 'stops using WatchList where a long initial stream ended without its mark',
      state: before('watch-listing'),
      event: ended({ livedMs: 30_000 }),
      phase: 'waiting',
      changes: { isWatchListDisabled: true },
      effects: [resume],
    },
    {
      it: 'tries WatchList again where a short initial stream ended',
      state: before('watch-listing'),
      event: ended({ livedMs: 29_999 }),
      phase: 'waiting',
      effects: [restart('end-of-stream'), resume],
    },
  ])('$it', check)
})

describe('a failure', () => {
  const failingSinceMs = NOW
  const [forbidden, expired, unavailable] = [refusal(403), refusal(410), refusal(503)]
  const throttled = refusal(429, 'slow down', 7_000)
  const noWatchList = refusal(422, 'sendInitialEvents: Forbidden: not enabled')
  const badSelector = refusal(400, 'unknown field')
  const long = { isOpen: true, frames: 5, livedMs: 40_000, silentMs: 100, hasBookmarks: true }
  test.for<Row>([
    {
      it: 'to connect is retried quickly',
      state: watching(),
      event: failed(broken),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [failure(broken), restart('broken'), reconnect],
    },
    {
      it: 'of a watch that lived long is retried at once',
      state: watching(),
      event: failed(broken, long),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [failure(broken), restart('broken'), resume],
    },
    {
      it: 'after a healthy watch starts a new series',
      state: watching({ failingSinceMs: NOW - 90_000 }),
      event: failed(broken, long),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [failure(broken), restart('broken'), resume],
    },
    {
      it: 'with 403 waits for the backoff',
      state: watching(),
      event: failed(forbidden),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [failure(forbidden), restart('refused'), backoff],
    },
    {
      it: 'with 429 waits as long as the server asks, and is not reported',
      state: watching(),
      event: failed(throttled),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [
        { kind: 'report-end', error: throttled },
        restart('throttled'),
        { kind: 'pause', pace: 'reconnect', atLeastMs: 7_000 },
      ],
    },
    {
      it: 'with 503 keeps watching for half a minute',
      state: watching({ failingSinceMs: NOW - 29_999 }),
      event: failed(unavailable),
      phase: 'waiting',
      effects: [failure(unavailable), restart('server-error'), reconnect],
    },
    {
      it: 'with 503 reads everything after half a minute',
      state: watching({ failingSinceMs: NOW - 30_000 }),
      event: failed(unavailable),
      phase: 'waiting',
      changes: { relist: 'server-error' },
      effects: [failure(unavailable), relist('server-error'), reconnect],
    },
    {
      it: 'of that read with 503 leaves the store complete, because the server fails, not the watch',
      state: rereading('listing', { relist: 'server-error', failingSinceMs: NOW - 31_000 }),
      event: failed(unavailable),
      phase: 'waiting',
      changes: { relist: undefined, hasListFailed: true, failingSinceMs },
      effects: [failure(unavailable), restart('server-error'), reconnect],
    },
    {
      it: 'of watches alone waits for the backoff, because each would be followed by a read',
      state: watching({ failingSinceMs: NOW - 61_000 }),
      event: failed(unavailable),
      phase: 'waiting',
      changes: { relist: 'server-error' },
      effects: [failure(unavailable), relist('server-error'), backoff],
    },
    {
      it: 'with 410 reads everything at once',
      state: watching(),
      event: failed(expired),
      phase: 'waiting',
      changes: { relist: 'expired', expiredAtMs: NOW, failingSinceMs },
      effects: [failure(expired), relist('expired'), resume],
    },
    {
      it: 'with 410 again within ten seconds waits for the backoff',
      state: watching({ expiredAtMs: NOW - 9_999 }),
      event: failed(expired),
      phase: 'waiting',
      changes: { relist: 'expired', expiredAtMs: NOW, failingSinceMs },
      effects: [failure(expired), relist('expired'), backoff],
    },
    {
      it: 'with 410 of a read asks for the newest state at once, the first time',
      state: rereading('listing', { expiredAtMs: NOW - 1 }),
      event: failed(expired),
      phase: 'waiting',
      changes: { isVersionRefused: true, hasListFailed: true, expiredAtMs: NOW, failingSinceMs },
      effects: [failure(expired), relist('expired'), resume],
    },
    {
      it: 'with 410 of a read for the newest state waits for the backoff',
      state: rereading('listing', { isVersionRefused: true, expiredAtMs: NOW - 1 }),
      event: failed(expired),
      phase: 'waiting',
      changes: { hasListFailed: true, expiredAtMs: NOW, failingSinceMs },
      effects: [failure(expired), relist('expired'), backoff],
    },
    {
      it: 'that names a parameter of WatchList stops it for the whole server',
      state: before('watch-listing'),
      event: failed(noWatchList),
      phase: 'waiting',
      changes: { failingSinceMs },
      effects: [{ kind: 'disable-watch-list' }, resume],
    },
    {
      it: 'of a WatchList with 400 stops it for this collection only',
      state: before('watch-listing'),
      event: failed(badSelector),
      phase: 'waiting',
      changes: { isWatchListDisabled: true, failingSinceMs },
      effects: [resume],
    },
    {
      it: 'by silence before the end of the initial events stops WatchList for this collection',
      state: before('watch-listing'),
      event: failed(silence, { isOpen: true, livedMs: 30_000 }),
      phase: 'waiting',
      changes: { isWatchListDisabled: true, failingSinceMs },
      effects: [{ kind: 'report-end', error: silence }, resume],
    },
    {
      it: 'by silence on an open watch with bookmarks is reported, and everything is read',
      state: watching(),
      event: failed(silence, { isOpen: true, livedMs: 150_000, silentMs: 150_000, hasBookmarks: true }),
      phase: 'waiting',
      changes: { relist: 'idle', failingSinceMs },
      effects: [failure(silence), relist('idle'), resume],
    },
    {
      it: 'keeps the first reason for which everything has to be read',
      state: rereading('listing', { relist: 'undecodable', failingSinceMs: NOW - 31_000 }),
      event: failed(unavailable),
      phase: 'waiting',
      changes: { hasListFailed: true },
      effects: [failure(unavailable), relist('server-error'), reconnect],
    },
  ])('$it', check)
})

test('an event that cannot happen in a phase is refused', () => {
  expect(() => transition(before('listing'), resumed())).toThrow('a reflector that is listing cannot handle "resumed"')
  for (const phase of ['waiting', 'watching', 'emptying'] as const)
    expect(() => transition(before(phase), completed)).toThrow(TypeError)
  for (const phase of ['waiting', 'listing', 'emptying'] as const)
    expect(() => transition(before(phase), ended())).toThrow(TypeError)
  for (const phase of ['waiting', 'emptying'] as const)
    expect(() => transition(before(phase), failed(broken))).toThrow(TypeError)
  expect(() => transition(before('watching'), { kind: 'emptied', atMs: NOW })).toThrow(TypeError)
})
