import type { ApiRequest, ApiResponse, Clock, KubernetesObject, Logger, Random } from '@berth/types'
import { orAborted, sleep } from '../async/abortable.ts'
import { createBackoff } from '../async/backoff.ts'
import { apiVersionOf, collectionPath, type ResourceRef } from '../api-conventions/resource-ref.ts'
import { closedFailure } from '../errors/transport-error.ts'
import { isApiStatus } from '../errors/api-error.ts'
import { bump, createCounts, snapshotCounts } from './counts.ts'
import { dropManagedFields } from './read/decode-object.ts'
import { listInto } from './read/list-into.ts'
import { SilenceError } from './read/guarded-stream.ts'
import {
  DOUBTFUL_SILENCE_MS,
  isDoubtful,
  isVersionUnavailable,
  outcomeOfError,
  withDoubt,
  type Outcome,
} from './outcome.ts'
import type { ReflectorSession } from './read/read-session.ts'
import { createObjectStore } from './store/object-store.ts'
import type { Reflector, ReflectOptions, RelistReason } from './reflector.ts'
import { watchInto, type WatchProgress } from './read/watch-into.ts'

/** Relists closer together than this wait for the backoff, so that a server that always says 410 is not flooded. */
const MIN_RELIST_INTERVAL_MS = 10_000
/** How often a resource that the server does not serve is asked for again. */
const ABSENT_RETRY_MS = 60_000
/** A watch that lived so long ends a series of server errors. */
const HEALTHY_WATCH_MS = 30_000
/** From so many objects on, everything is read by one LIST. */
const LARGE_COLLECTION = 2_000

/** Whether a server understands WatchList; shared by all reflectors of a cluster, and turned off for good. */
export interface WatchListSupport {
  isSupported: boolean
}

/** What {@link startReflector} needs. */
export interface ReflectorEnv {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>
  readonly watchList: WatchListSupport
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/**
 * Mirrors a resource type until disposed: reads everything, follows changes, and comes back after every failure.
 *
 * @see kubernetes v1.36 staging/src/k8s.io/client-go/tools/cache/reflector.go, whose rules it follows
 */
export function startReflector<T extends KubernetesObject>(
  resource: ResourceRef,
  options: ReflectOptions<T>,
  env: ReflectorEnv,
): Reflector<T> {
  const { clock, random, log, watchList } = env
  const stopping = new AbortController()
  const counts = createCounts()
  const store = createObjectStore<T>(resource.plural, log, options.indexes)
  const session: ReflectorSession<T> = {
    path: collectionPath(resource, options.namespace),
    type: { kind: resource.kind, apiVersion: apiVersionOf(resource) },
    selectors: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
    subject: { resource: resource.plural, group: resource.group },
    project: options.project ?? dropManagedFields,
    store,
    counts,
    send: env.send,
    clock,
    random,
    log,
    signal: stopping.signal,
    lastVersion: '',
    isVersionUnavailable: false,
    heardAt: undefined,
    failure: undefined,
  }
  const backoff = createBackoff({ initialMs: 800, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000, clock, random })
  // To be asked costs a server nothing while it is away, and little for a watch; when it is back, everybody waits for news.
  const reconnect = createBackoff({ initialMs: 800, maxMs: 2_000, jitter: 1, resetAfterMs: 120_000, clock, random })
  const synced = Promise.withResolvers<void>()
  synced.promise.catch(() => undefined)
  let hasSynced = false
  /** Why everything has to be read; undefined while the store is complete. */
  let unread: RelistReason | undefined = 'start'
  let failingSince: number | undefined
  let readAt = -Infinity
  let expiredAt = -Infinity
  /** A LIST of everything in one answer may be too much for a server or a line: the next try is another way. */
  let hasListFailed = false
  /** One stall, or one bad selector, says nothing about other collections. */
  let isWatchListHere = true
  bump(counts.relists, unread)

  const complete = (): void => {
    unread = undefined
    hasListFailed = false
    readAt = clock.monotonic()
    if (hasSynced) return
    hasSynced = true
    store.setSynced()
    synced.resolve()
    log.info({ resource: resource.plural, objects: store.objects.size }, 'Synced')
  }

  /** The server does not serve the resource: that is complete news, too. */
  const noneServed = async (): Promise<Outcome> => {
    await store.replace({ objects: new Map(), unread: new Set() })
    session.heardAt = clock.monotonic()
    session.failure = undefined
    session.lastVersion = ''
    if (!hasSynced) log.info({ resource: resource.plural }, 'The API server does not serve this resource')
    complete()
    return { next: 'list', reason: 'absent', pauses: true, atLeastMs: ABSENT_RETRY_MS }
  }

  /** The same failure again is no news: one line tells it, until something else happens. */
  const noteFailure = (error: unknown): void => {
    const failure = error instanceof Error ? error : new Error(String(error))
    const isNews = session.failure?.message !== failure.message
    session.failure = failure
    const fields = { err: error, resource: resource.plural, synced: hasSynced }
    if (isNews) log.warn(fields, 'Reading or watching failed')
    else log.debug(fields, 'Reading or watching failed again')
  }

  const doubted = (outcome: Outcome, { isOpen, frames }: WatchProgress): Outcome => {
    const silentMs = clock.monotonic() - (session.heardAt ?? Infinity)
    return isDoubtful({ isOpen, frames, silentMs, hasBookmarks: counts.bookmarks > 0 }) ? withDoubt(outcome) : outcome
  }

  /** Reads everything by LIST, or watches; a watch reads everything as well where the server can and it is not much. */
  const step = async (): Promise<Outcome | undefined> => {
    const startedAt = clock.monotonic()
    const isReading = unread !== undefined
    const isLarge = options.isLarge === true || store.objects.size >= LARGE_COLLECTION
    const hasWatchList = watchList.isSupported && isWatchListHere
    const isWatchList = isReading && hasWatchList && (!isLarge || hasListFailed)
    const progress: WatchProgress = { isOpen: false, frames: 0, isComplete: !isReading }
    try {
      if (isReading && !isWatchList) {
        await listInto(session, hasWatchList ? 'whole' : 'paged')
        complete()
        return undefined
      }
      const outcome = await watchInto(session, isWatchList, progress, complete)
      failingSince = undefined
      return doubted(outcome, progress)
    } catch (error) {
      if (stopping.signal.aborted) throw error
      if (options.mayBeAbsent === true && isApiStatus(error, 404)) return await noneServed()
      if (isReading && !isWatchList) hasListFailed = true
      const now = clock.monotonic()
      const livedMs = progress.isOpen ? now - startedAt : 0
      if (livedMs > HEALTHY_WATCH_MS) failingSince = undefined
      failingSince ??= now
      if (unread === 'server-error' && !isVersionUnavailable(error)) {
        // Reading fails as watching did: the server is unwell, not the watch. What is held is still complete.
        unread = undefined
        failingSince = now
      }
      // A server that took a WatchList and then fell silent may be one that ignores what it does not know.
      const isIgnored = isWatchList && progress.isOpen && unread !== undefined && error instanceof SilenceError
      const context = { isWatchList: isWatchList && unread !== undefined, livedMs, failingMs: now - failingSince }
      const outcome: Outcome = isIgnored
        ? { next: 'list-without-watch-list', isServerWide: false }
        : doubted(outcomeOfError(error, context), progress)
      const isQuiet = error instanceof SilenceError && (livedMs < DOUBTFUL_SILENCE_MS || counts.bookmarks === 0)
      if (isQuiet || (outcome.next === 'watch' && outcome.reason === 'throttled')) {
        log.debug({ err: error, resource: resource.plural }, 'A watch ended')
      } else if (outcome.next !== 'list-without-watch-list') {
        counts.failures += 1
        noteFailure(error)
      }
      if (!isVersionUnavailable(error) || !isReading || session.isVersionUnavailable) return outcome
      // The server cannot serve our version: the next read asks for its newest state, at once.
      session.isVersionUnavailable = true
      return { next: 'list', reason: 'expired', pauses: false, isFirst: true }
    }
  }

  /**
   * Whether the next attempt costs the server little: it is away, or has named its own time, or only a watch is asked
   * for, or a read now and then.
   */
  const isCheapToAsk = (outcome: Exclude<Outcome, { readonly next: 'list-without-watch-list' }>): boolean => {
    const { next, reason, atLeastMs } = outcome
    if (reason === 'throttled') return atLeastMs !== undefined
    if (reason !== 'server-error') return reason === 'broken'
    if (next === 'watch' && unread === undefined) return true
    // A watch that fails although everything could be read meanwhile would be followed by one read after the other.
    return readAt < (failingSince ?? Infinity)
  }

  const settle = async (outcome: Outcome): Promise<void> => {
    if (outcome.next === 'list-without-watch-list') {
      if (outcome.isServerWide && watchList.isSupported)
        log.info({ resource: resource.plural }, 'The API server has no WatchList; using LIST')
      if (outcome.isServerWide) watchList.isSupported = false
      else isWatchListHere = false
      return
    }
    let { pauses } = outcome
    if (outcome.next === 'watch') bump(counts.restarts, outcome.reason)
    else {
      bump(counts.relists, outcome.reason)
      // Only server errors leave what is held complete; they do not cover up another reason.
      if (unread === undefined || unread === 'server-error') unread = outcome.reason
      if (outcome.reason === 'expired') {
        const now = clock.monotonic()
        pauses ||= outcome.isFirst !== true && now - expiredAt < MIN_RELIST_INTERVAL_MS
        expiredAt = now
      }
    }
    if (!pauses) return
    const pauseMs = (isCheapToAsk(outcome) ? reconnect : backoff).next()
    await sleep(clock, Math.max(pauseMs, outcome.atLeastMs ?? 0), stopping.signal)
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const outcome = await step()
      if (outcome !== undefined) await settle(outcome)
    }
  }
  const running = run().catch((err: unknown) => {
    if (!stopping.signal.aborted) log.error({ err, resource: resource.plural }, 'A reflector stopped')
  })

  return {
    store: store.objects,
    byIndex: (name, key) => store.byIndex(name, key),
    hasSynced: () => hasSynced,
    waitForSync: (signal) => orAborted(synced.promise, signal),
    lastEventAgeMs: () => (session.heardAt === undefined ? Infinity : clock.monotonic() - session.heardAt),
    failure: () => session.failure,
    lastResourceVersion: () => session.lastVersion,
    subscribe: (handlers) => store.subscribe(handlers),
    stats: () => snapshotCounts(counts, store.counts()),
    async [Symbol.asyncDispose]() {
      const closed = closedFailure(`watch ${resource.plural}`)
      stopping.abort(closed)
      synced.reject(closed)
      await running
    },
  }
}
