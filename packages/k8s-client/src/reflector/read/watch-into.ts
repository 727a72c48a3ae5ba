import type { KubernetesObject } from '@berth/types'
import { createTurnBudget } from '../../async/turn-budget.ts'
import type { Decoded } from '../store/object-store.ts'
import { compareVersions } from './compare-versions.ts'
import { decodeOrCount, openCollection, watchReaderOf, type ReadSession } from './read-session.ts'
import type { Payload } from './stream-reader.ts'
import { errorOfFrame, readBookmark } from './watch-frame.ts'

/** A server that does not mark the end of the initial events for this long may not support WatchList. */
export const INITIAL_IDLE_MS = 30_000
/**
 * A mirror that received nothing for this long may be stale, because a bookmark comes about once a minute. Also the
 * idle timeout of a watch on a server that has not sent a bookmark yet.
 */
export const DOUBTFUL_IDLE_MS = 90_000

const BYTES_PER_TURN = 128 * 1024
const HEADERS_MS = 30_000
/** Bookmarks come about once a minute; two and a half minutes without any byte mean a dead connection. */
const IDLE_MS = 150_000
/** Idle timeout of a new watch if the mirror may be stale: a relist then helps sooner than the next bookmark. */
const STALE_IDLE_MS = 5_000

/** The request that {@link watchInto} sends. */
export interface WatchRequest {
  /** Asks for everything that exists first, which replaces the store. */
  readonly isWatchList: boolean
  /** Starts from the newest state instead of the version of the store. */
  readonly ignoresVersion: boolean
}

/** The progress of a running watch; read by its caller after the watch has ended or failed. */
export interface WatchProgress {
  /** True once the server has answered with a stream. */
  isOpen: boolean
  /** Events and bookmarks received. */
  frames: number
}

/** Reason for distrusting a stream. The whole collection must be read again then. */
export type StreamFault = 'undecodable' | 'out-of-order' | 'behind'

/**
 * Applies changes to the store until the stream ends. A WatchList starts with all existing objects. Once the server
 * marks their end, they replace the content of the store, and `onComplete` is called.
 *
 * @returns The reason why the watch was given up; undefined when the server ended it.
 * @throws ApiError, TransportError, IdleTimeoutError
 */
export async function watchInto<T extends KubernetesObject>(
  session: ReadSession<T>,
  { isWatchList, ignoresVersion }: WatchRequest,
  progress: WatchProgress,
  onComplete: () => void,
): Promise<StreamFault | undefined> {
  const { clock, random } = session
  const spread = random()
  let isComplete = !isWatchList
  const idleMs = (): number =>
    session.counts.bookmarks > 0 ? IDLE_MS + spread * 30_000 : DOUBTFUL_IDLE_MS + spread * 15_000
  const isStale = clock.monotonic() - (session.lastEventAt ?? Infinity) >= DOUBTFUL_IDLE_MS
  const bodyMs = (): number => {
    if (!isComplete) return INITIAL_IDLE_MS
    return isStale && progress.frames === 0 ? STALE_IDLE_MS : idleMs()
  }
  const version = ignoresVersion || session.lastVersion === '' ? undefined : session.lastVersion
  const startedAtMs = clock.monotonic()
  const query = {
    watch: '1',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(Math.round(300 + random() * 300)),
    resourceVersion: version,
    ...(isWatchList ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
  }
  session.counts.watches += 1
  const opened = await openCollection(session, 'watch', query, { headersMs: HEADERS_MS, bodyMs })
  progress.isOpen = true
  let isBehind = false
  session.giveUpWatch = () => {
    // A new read would only start again what the initial events already do.
    if (!isComplete) return
    isBehind = true
    opened.close()
  }

  const initial = new Map<string, Decoded<T>>()
  const unread = new Set<string>()
  const reader = watchReaderOf(session, opened.response)
  const budget = createTurnBudget(BYTES_PER_TURN)

  const applyInitial = (type: string, object: unknown): void => {
    const result = decodeOrCount(session, object)
    if (result.kind === 'unreadable') {
      if (result.key !== undefined) unread.add(result.key)
    } else if (type === 'DELETED') initial.delete(result.key)
    else initial.set(result.key, result)
  }
  const complete = async (endVersion: string): Promise<void> => {
    await session.store.replace({ objects: initial, unread })
    initial.clear()
    session.lastVersion = endVersion
    if (version === undefined) session.readFromMs = startedAtMs
    session.counts.watchLists += 1
    isComplete = true
    onComplete()
  }
  const acceptBookmark = async (object: unknown): Promise<void> => {
    session.counts.bookmarks += 1
    const { version, isInitialEnd } = readBookmark(object)
    if (!isComplete) {
      if (isInitialEnd) await complete(version)
    } else if (compareVersions(version, session.lastVersion) !== 'older' && version !== '')
      session.lastVersion = version
  }
  const accept = async (payload: Payload): Promise<StreamFault | undefined> => {
    const frame = reader.parse(payload)
    if (frame === undefined) return 'undecodable'
    const { type, object } = frame
    if (type === 'ERROR') throw errorOfFrame({ ...session.subject, verb: 'watch' }, object)
    progress.frames += 1
    if (type === 'BOOKMARK') await acceptBookmark(object)
    else if (isComplete) return applyEvent(session, type, object)
    else applyInitial(type, object)
    return undefined
  }

  try {
    for await (const chunk of opened.chunks) {
      for (const payload of reader.push(chunk)) {
        const fault = await accept(payload)
        if (fault !== undefined) return fault
        if (isComplete) session.lastEventAt = clock.monotonic()
        await budget.spend(payload.length)
      }
    }
  } catch (error) {
    if (isBehind) return 'behind'
    throw error
  } finally {
    session.giveUpWatch = undefined
    opened.close()
  }
  return undefined
}

function applyEvent<T extends KubernetesObject>(
  session: ReadSession<T>,
  type: string,
  object: unknown,
): StreamFault | undefined {
  const { store, lastVersion } = session
  const result = decodeOrCount(session, object)
  const order = compareVersions(result.resourceVersion, lastVersion)
  if (order === 'older') {
    const stored = result.key === undefined ? undefined : store.versionOf(result.key)
    // A repeated event is harmless; any other event from the past means that the stream is not in order.
    const isRepeated = stored !== undefined && compareVersions(result.resourceVersion, stored) !== 'newer'
    return isRepeated ? undefined : 'out-of-order'
  }
  if (result.kind === 'decoded') {
    if (type === 'DELETED') store.remove(result.key, result.object)
    else store.upsert(result)
  } else if (type === 'DELETED' && result.key !== undefined) store.remove(result.key)
  if (result.resourceVersion !== '') session.lastVersion = result.resourceVersion
  return undefined
}
