import { createBackoff, sleep } from '@berth/clock'
import type { ApiRequest, ApiResponse, Clock, KubernetesObject, Logger, Random } from '@berth/types'
import { apiVersionOf, collectionPath, type ResourceRef } from '../api-conventions/resource-ref.ts'
import { readTypeOf } from '../encoding/protobuf-kinds.ts'
import type { EncodingSupport } from '../encoding/wire-encoding.ts'
import { orAborted } from '../async/or-aborted.ts'
import { closedError } from '../errors/transport-error.ts'
import type { StreamFacts } from './next-attempt.ts'
import { catchUp } from './read/catch-up.ts'
import { dropManagedFields } from './read/decode-object.ts'
import { protobufObjects } from './read/protobuf-objects.ts'
import { listInto, type ListRequest } from './read/list-into.ts'
import type { ReadSession } from './read/read-session.ts'
import { watchInto, type WatchRequest } from './read/watch-into.ts'
import type { Reflector, ReflectOptions } from './reflector.ts'
import { createCounts, increment, snapshotCounts } from './reflector-counts.ts'
import { initialState, type Pace, type ReflectorEffect, type ReflectorEvent } from './reflector-state.ts'
import { createObjectStore } from './store/object-store.ts'
import { transition } from './transition.ts'

/** WatchList support of a server. All reflectors of a cluster share it. Once false, it stays false. */
export interface WatchListSupport {
  isSupported: boolean
}

/** The dependencies of {@link startReflector}. */
export interface ReflectorEnv {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>
  readonly watchList: WatchListSupport
  readonly encoding: EncodingSupport
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** The facts of an attempt that failed before the server answered with a stream. */
const NO_STREAM: StreamFacts = { isOpen: false, frames: 0, livedMs: 0, silentMs: 0, hasBookmarks: false }

/**
 * Mirrors a resource type until disposed: reads everything, watches for changes, and recovers from every failure. All
 * decisions are made in {@link transition}; this function only runs its effects.
 */
export function startReflector<T extends KubernetesObject>(
  resource: ResourceRef,
  options: ReflectOptions<T>,
  env: ReflectorEnv,
): Reflector<T> {
  const { clock, random, log, watchList } = env
  const { plural } = resource
  const objectType = env.encoding.preferred === 'protobuf' ? readTypeOf(resource) : undefined
  const type = { kind: resource.kind, apiVersion: apiVersionOf(resource) }
  const stopping = new AbortController()
  const counts = createCounts()
  const store = createObjectStore<T>(plural, log, options.indexes)
  const session: ReadSession<T> = {
    path: collectionPath(resource, options.namespace),
    type,
    selectors: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
    subject: { resource: plural, group: resource.group },
    project: options.project ?? dropManagedFields,
    protobuf: objectType === undefined ? undefined : protobufObjects(objectType, type, options.protobuf),
    encoding: env.encoding,
    store,
    counts,
    send: env.send,
    clock,
    random,
    log,
    signal: stopping.signal,
    lastVersion: '',
    lastEventAt: undefined,
    readFromMs: undefined,
    failure: undefined,
    giveUpWatch: undefined,
  }
  const shape = { initialMs: 800, jitter: 1, resetAfterMs: 120_000, clock, random }
  const backoff = createBackoff({ ...shape, maxMs: 30_000 })
  // An attempt against a server that is down is cheap, and so is a watch; fast retries reconnect soon after an outage.
  const reconnect = createBackoff({ ...shape, maxMs: 2_000 })
  const synced = Promise.withResolvers<void>()
  synced.promise.catch(() => undefined)
  let state = initialState({ isLarge: options.isLarge ?? false, mayBeAbsent: options.mayBeAbsent ?? false })
  increment(counts.relists, 'start')

  /** Applies an event and runs its effects. Returns the task that was started; it ends with the next event. */
  const dispatch = (event: ReflectorEvent): Promise<ReflectorEvent> | undefined => {
    const [next, effects] = transition(state, event)
    state = next
    let task: Promise<ReflectorEvent> | undefined
    for (const effect of effects) task = perform(effect)
    return task
  }

  const perform = (effect: ReflectorEffect): Promise<ReflectorEvent> | undefined => {
    switch (effect.kind) {
      case 'list':
        return list(effect)
      case 'watch':
        return watch(effect)
      case 'empty-store':
        return emptyStore()
      case 'pause':
        return pause(effect.pace, effect.atLeastMs)
      case 'announce-sync':
        store.setSynced()
        synced.resolve()
        log.info({ resource: plural, objects: store.objects.size }, 'Synced')
        return undefined
      case 'announce-absence':
        log.info({ resource: plural }, 'The API server does not serve this resource')
        return undefined
      case 'disable-watch-list':
        if (watchList.isSupported)
          log.info({ resource: plural }, 'The API server does not support WatchList; using LIST')
        watchList.isSupported = false
        return undefined
      case 'count-restart':
        increment(counts.restarts, effect.reason)
        return undefined
      case 'count-relist':
        increment(counts.relists, effect.reason)
        return undefined
      case 'report-end':
        log.debug({ err: effect.error, resource: plural }, 'A watch ended')
        return undefined
      case 'report-failure':
        reportFailure(effect.error)
        return undefined
    }
  }

  const list = async (request: ListRequest): Promise<ReflectorEvent> => {
    try {
      await listInto(session, request)
      return { kind: 'read-completed', atMs: clock.monotonic() }
    } catch (error) {
      stopping.signal.throwIfAborted()
      return { kind: 'failed', atMs: clock.monotonic(), error, stream: NO_STREAM }
    }
  }

  const watch = async (request: WatchRequest): Promise<ReflectorEvent> => {
    const startedAt = clock.monotonic()
    const progress = { isOpen: false, frames: 0 }
    const facts = (atMs: number): StreamFacts => ({
      ...progress,
      livedMs: progress.isOpen ? atMs - startedAt : 0,
      silentMs: session.lastEventAt === undefined ? 0 : atMs - session.lastEventAt,
      hasBookmarks: counts.bookmarks > 0,
    })
    const onComplete = (): void => void dispatch({ kind: 'read-completed', atMs: clock.monotonic() })
    try {
      const fault = await watchInto(session, request, progress, onComplete)
      const atMs = clock.monotonic()
      return { kind: 'watch-ended', atMs, stream: facts(atMs), fault }
    } catch (error) {
      stopping.signal.throwIfAborted()
      const atMs = clock.monotonic()
      return { kind: 'failed', atMs, error, stream: facts(atMs) }
    }
  }

  const emptyStore = async (): Promise<ReflectorEvent> => {
    await store.replace({ objects: new Map(), unread: new Set() })
    const atMs = clock.monotonic()
    session.lastEventAt = atMs
    session.failure = undefined
    session.lastVersion = ''
    return { kind: 'emptied', atMs }
  }

  const pause = async (pace: Pace, atLeastMs: number): Promise<ReflectorEvent> => {
    stopping.signal.throwIfAborted()
    if (pace !== 'none') {
      const pauseMs = (pace === 'reconnect' ? reconnect : backoff).next()
      await sleep(clock, Math.max(pauseMs, atLeastMs), stopping.signal)
    }
    return resumed()
  }

  const resumed = (): ReflectorEvent => ({
    kind: 'resumed',
    objects: store.objects.size,
    hasWatchList: watchList.isSupported,
  })

  /** Logs a repeated failure at debug level. */
  const reportFailure = (error: unknown): void => {
    counts.failures += 1
    const failure = error instanceof Error ? error : new Error(String(error))
    const isRepeated = session.failure?.message === failure.message
    session.failure = failure
    const fields = { err: error, resource: plural, synced: state.hasSynced }
    if (isRepeated) log.debug(fields, 'Failed again to list or watch a resource')
    else log.warn(fields, 'Failed to list or watch a resource')
  }

  const run = async (): Promise<void> => {
    let task = dispatch(resumed())
    while (task !== undefined) task = dispatch(await task)
  }
  const running = run().catch((err: unknown) => {
    if (!stopping.signal.aborted) log.error({ err, resource: plural }, 'A reflector stopped')
  })

  return {
    store: store.objects,
    byIndex: (name, key) => store.byIndex(name, key),
    hasSynced: () => state.hasSynced,
    waitForSync: (signal) => orAborted(synced.promise, signal),
    async catchUp(catchUpOptions) {
      await orAborted(synced.promise, catchUpOptions?.signal)
      await catchUp(session, { mayBeAbsent: options.mayBeAbsent ?? false, ...catchUpOptions })
    },
    lastEventAgeMs: () => (session.lastEventAt === undefined ? Infinity : clock.monotonic() - session.lastEventAt),
    failure: () => session.failure,
    lastResourceVersion: () => session.lastVersion,
    subscribe: (handlers) => store.subscribe(handlers),
    stats: () => snapshotCounts(counts, store.counts()),
    async [Symbol.asyncDispose]() {
      const closed = closedError(`watch ${plural}`)
      stopping.abort(closed)
      synced.reject(closed)
      await running
    },
  }
}
