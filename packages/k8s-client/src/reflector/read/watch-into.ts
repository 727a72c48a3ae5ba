import type { KubernetesObject } from '@berth/types'
import { isRecord } from '../../is-record.ts'
import { createLineSplitter } from './line-splitter.ts'
import { DOUBTFUL_SILENCE_MS, errorOfFrame, outcomeOfEnd, type Outcome } from '../outcome.ts'
import { decodeOrCount, openCollection, type ReflectorSession } from './read-session.ts'
import type { Decoded } from '../store/object-store.ts'
import { createTurns } from '../../async/turns.ts'
import { compareVersions } from './compare-versions.ts'

const BYTES_PER_TURN = 128 * 1024
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'
const HEADERS_MS = 30_000
/** Bookmarks come about once a minute; two and a half without any byte mean a dead connection. */
const IDLE_MS = 150_000
/** Silence before the end of the initial events: the server may not know what WatchList is. */
const INITIAL_SILENCE_MS = 30_000
/** Where nothing has been heard for long, a new watch may be silent for so long: a read tells sooner than a bookmark. */
const STALE_SILENCE_MS = 5_000

/** What a watch reports while it runs, for whoever has to judge its end. */
export interface WatchProgress {
  /** Whether the server has answered with a stream. */
  isOpen: boolean
  /** Events and bookmarks received. */
  frames: number
  /** False while a WatchList has not delivered everything. */
  isComplete: boolean
}

/** A frame after which the stream cannot be trusted: everything has to be read again. */
type Distrust = Extract<Outcome, { readonly next: 'list' }>

/**
 * Follows changes until the stream ends. With `isWatchList` the stream starts with everything that exists, which
 * replaces the store once the server says that it is complete.
 *
 * @throws ApiError, TransportError, SilenceError
 */
export async function watchInto<T extends KubernetesObject>(
  session: ReflectorSession<T>,
  isWatchList: boolean,
  progress: WatchProgress,
  onComplete: () => void,
): Promise<Outcome> {
  const { clock, random } = session
  const spread = random()
  const idleMs = (): number =>
    session.counts.bookmarks > 0 ? IDLE_MS + spread * 30_000 : DOUBTFUL_SILENCE_MS + spread * 15_000
  const isStale = clock.monotonic() - (session.heardAt ?? Infinity) >= DOUBTFUL_SILENCE_MS
  const bodyMs = (): number => {
    if (!progress.isComplete) return INITIAL_SILENCE_MS
    return isStale && progress.frames === 0 ? STALE_SILENCE_MS : idleMs()
  }
  const limits = { headersMs: HEADERS_MS, bodyMs }
  const known = session.isVersionUnavailable || session.lastVersion === '' ? undefined : session.lastVersion
  const query = {
    watch: '1',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(Math.round(300 + random() * 300)),
    resourceVersion: known,
    ...(isWatchList ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' } : {}),
  }
  progress.isComplete = !isWatchList
  session.counts.watches += 1
  const startedAt = clock.monotonic()
  const opened = await openCollection(session, 'watch', query, limits)
  progress.isOpen = true

  const initial = new Map<string, Decoded<T>>()
  const unread = new Set<string>()
  const lines = createLineSplitter()
  const turns = createTurns(BYTES_PER_TURN)

  const applyInitial = (type: unknown, object: unknown): void => {
    const result = decodeOrCount(session, object)
    if (result.kind === 'unreadable') {
      if (result.key !== undefined) unread.add(result.key)
    } else if (type === 'DELETED') initial.delete(result.key)
    else initial.set(result.key, result)
  }
  const complete = async (version: string): Promise<void> => {
    await session.store.replace({ objects: initial, unread })
    initial.clear()
    session.lastVersion = version
    session.isVersionUnavailable = false
    session.counts.watchLists += 1
    progress.isComplete = true
    onComplete()
  }
  const accept = async (line: string): Promise<Distrust | undefined> => {
    const frame = parseFrame(line)
    if (frame === undefined) return { next: 'list', reason: 'undecodable', pauses: true }
    if (frame.type === 'ERROR') throw errorOfFrame({ ...session.subject, verb: 'watch' }, frame.object)
    progress.frames += 1
    if (frame.type === 'BOOKMARK') {
      session.counts.bookmarks += 1
      const { version, isInitialEnd } = bookmarkOf(frame.object)
      if (!progress.isComplete) return isInitialEnd ? (await complete(version), undefined) : undefined
      if (compareVersions(version, session.lastVersion) !== 'older' && version !== '') session.lastVersion = version
      return undefined
    }
    if (!progress.isComplete) {
      applyInitial(frame.type, frame.object)
      return undefined
    }
    return applyEvent(session, frame.type, frame.object)
  }

  try {
    for await (const chunk of opened.chunks) {
      for (const line of lines.push(chunk)) {
        const distrust = await accept(line)
        if (distrust !== undefined) return distrust
        if (progress.isComplete) session.heardAt = clock.monotonic()
        await turns.spend(line.length)
      }
    }
  } finally {
    opened.close()
  }
  const livedMs = clock.monotonic() - startedAt
  // The server has closed a long initial stream without saying that it was complete: it does not know WatchList.
  if (!progress.isComplete && livedMs >= INITIAL_SILENCE_MS)
    return { next: 'list-without-watch-list', isServerWide: false }
  return outcomeOfEnd(livedMs, progress.frames)
}

function applyEvent<T extends KubernetesObject>(
  session: ReflectorSession<T>,
  type: string,
  object: unknown,
): Distrust | undefined {
  const { store, lastVersion } = session
  const result = decodeOrCount(session, object)
  const order = compareVersions(result.resourceVersion, lastVersion)
  if (order === 'older') {
    const stored = result.key === undefined ? undefined : store.versionOf(result.key)
    // A repeated event is harmless; any other event from the past means that the stream is not in order.
    const isRepeated = stored !== undefined && compareVersions(result.resourceVersion, stored) !== 'newer'
    return isRepeated ? undefined : { next: 'list', reason: 'out-of-order', pauses: true }
  }
  if (result.kind === 'decoded') {
    if (type === 'DELETED') store.remove(result.key, result.object)
    else store.upsert(result)
  } else if (type === 'DELETED' && result.key !== undefined) store.remove(result.key)
  if (result.resourceVersion !== '') session.lastVersion = result.resourceVersion
  return undefined
}

function parseFrame(line: string): { readonly type: string; readonly object: unknown } | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isRecord(parsed)) return undefined
  const { type, object } = parsed
  const isKnown =
    type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK' || type === 'ERROR'
  return isKnown ? { type, object } : undefined
}

function bookmarkOf(object: unknown): { readonly version: string; readonly isInitialEnd: boolean } {
  const metadata = isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {}
  const annotations = isRecord(metadata['annotations']) ? metadata['annotations'] : {}
  const version = metadata['resourceVersion']
  return {
    version: typeof version === 'string' ? version : '',
    isInitialEnd: annotations[INITIAL_EVENTS_END] === 'true',
  }
}
