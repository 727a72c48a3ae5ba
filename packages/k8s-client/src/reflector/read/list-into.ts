import type { KubernetesObject } from '@berth/types'
import { isApiStatus } from '../../errors/api-error.ts'
import { decodeOrCount, listReaderOf, openCollection, type ReadSession } from './read-session.ts'
import type { ListReader } from './stream-reader.ts'
import type { Decoded } from '../store/object-store.ts'
import { createTurnBudget } from '../../async/turn-budget.ts'

const PAGE_SIZE = 500
const BYTES_PER_TURN = 128 * 1024
const LIST_SILENCE = { headersMs: 60_000, bodyMs: () => 60_000 }

/** Receives the objects of a list while it arrives. */
interface ListSink<T> {
  readonly add: (decoded: Decoded<T>) => void
  /** An object that exists but could not be read. */
  readonly addUnread: (key: string) => void
  /** Called once after the last object. */
  readonly complete: () => Promise<void>
}

/**
 * The method of a list. `paged`: as in client-go, any state from the server's cache, or page by page. `whole`: the
 * newest state in one response; for servers with WatchList, which serve such a read from their cache.
 */
export type ListMethod = 'paged' | 'whole'

/** The request that {@link listInto} sends. */
export interface ListRequest {
  readonly method: ListMethod
  /** Asks for the newest state instead of a state at least as new as the store. */
  readonly ignoresVersion: boolean
}

/**
 * Reads the whole collection and makes the store equal to it. Pages are requested only if the server does not
 * answer from its cache. When a continue token expires between two pages, everything is read again in one response.
 *
 * @throws ApiError, TransportError; a store with objects is unchanged then, and an empty one may have a part of them
 */
export async function listInto<T extends KubernetesObject>(
  session: ReadSession<T>,
  { method, ignoresVersion }: ListRequest,
): Promise<void> {
  const first = method === 'whole' ? '' : '0'
  const version = ignoresVersion ? '' : session.lastVersion === '' ? first : session.lastVersion
  const limit = method === 'paged' && (version === '' || version === '0') ? String(PAGE_SIZE) : undefined
  const startedAtMs = session.clock.monotonic()
  session.lastVersion = await readPages(session, version, limit)
  session.lastEventAt = session.clock.monotonic()
  if (version === '') session.readFromMs = startedAtMs
  session.counts.lists += 1
}

/** Returns the resource version from which to watch. */
async function readPages<T extends KubernetesObject>(
  session: ReadSession<T>,
  version: string,
  limit: string | undefined,
): Promise<string> {
  const sink = session.store.objects.size === 0 ? fillStore(session) : replaceStore(session)
  const resourceVersion = version === '' ? undefined : version
  let next: string | undefined
  for (;;) {
    const query = next === undefined ? { resourceVersion, limit } : { limit, continue: next }
    let page: ReturnType<ListReader['metadata']>
    try {
      page = await readPage(session, query, sink)
    } catch (error) {
      if (next === undefined || !isApiStatus(error, 410)) throw error
      return readPages(session, '', undefined)
    }
    next = page.continue
    if (next !== undefined && next !== '') continue
    await sink.complete()
    return page.resourceVersion ?? ''
  }
}

/** Stores each object at once. Many thousands that were collected first would need twice the memory for a moment. */
function fillStore<T extends KubernetesObject>({ store }: ReadSession<T>): ListSink<T> {
  return {
    add: (decoded) => store.upsert(decoded),
    // The store has no earlier state of it to keep.
    addUnread: () => undefined,
    complete: () => Promise.resolve(),
  }
}

/** Replaces the content of the store after the last object, because only then it is known which objects are gone. */
function replaceStore<T extends KubernetesObject>({ store }: ReadSession<T>): ListSink<T> {
  const objects = new Map<string, Decoded<T>>()
  const unread = new Set<string>()
  return {
    add: (decoded) => void objects.set(decoded.key, decoded),
    addUnread: (key) => void unread.add(key),
    complete: () => store.replace({ objects, unread }),
  }
}

async function readPage<T extends KubernetesObject>(
  session: ReadSession<T>,
  query: Readonly<Record<string, string | undefined>>,
  sink: ListSink<T>,
): Promise<ReturnType<ListReader['metadata']>> {
  const opened = await openCollection(session, 'list', query, LIST_SILENCE)
  const budget = createTurnBudget(BYTES_PER_TURN)
  const reader = listReaderOf(session, opened.response)
  try {
    for await (const chunk of opened.chunks) {
      for (const payload of reader.push(chunk)) {
        const result = decodeOrCount(session, reader.parse(payload))
        if (result.kind === 'decoded') sink.add(result)
        else if (result.key !== undefined) sink.addUnread(result.key)
        await budget.spend(payload.length)
      }
    }
    return reader.metadata()
  } finally {
    opened.close()
  }
}
