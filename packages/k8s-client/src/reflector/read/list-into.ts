import type { KubernetesObject } from '@berth/types'
import { isApiStatus } from '../../errors/api-error.ts'
import { decodeOrCount, listReaderOf, openCollection, type ReadSession } from './read-session.ts'
import type { ListReader } from './stream-reader.ts'
import type { Decoded, Snapshot } from '../store/object-store.ts'
import { createTurnBudget } from '../../async/turn-budget.ts'

const PAGE_SIZE = 500
const BYTES_PER_TURN = 128 * 1024
const LIST_SILENCE = { headersMs: 60_000, bodyMs: () => 60_000 }

/** A complete read, with the resource version from which to watch. */
interface ListResult<T> extends Snapshot<T> {
  readonly resourceVersion: string
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
 * @throws ApiError, TransportError; the store is unchanged then
 */
export async function listInto<T extends KubernetesObject>(
  session: ReadSession<T>,
  { method, ignoresVersion }: ListRequest,
): Promise<void> {
  const first = method === 'whole' ? '' : '0'
  const version = ignoresVersion ? '' : session.lastVersion === '' ? first : session.lastVersion
  const limit = method === 'paged' && (version === '' || version === '0') ? String(PAGE_SIZE) : undefined
  const result = await readPages(session, version, limit)
  await session.store.replace(result)
  session.lastVersion = result.resourceVersion
  session.lastEventAt = session.clock.monotonic()
  session.counts.lists += 1
}

async function readPages<T extends KubernetesObject>(
  session: ReadSession<T>,
  version: string,
  limit: string | undefined,
): Promise<ListResult<T>> {
  const objects = new Map<string, Decoded<T>>()
  const unread = new Set<string>()
  const resourceVersion = version === '' ? undefined : version
  let next: string | undefined
  for (;;) {
    const query = next === undefined ? { resourceVersion, limit } : { limit, continue: next }
    let page: ReturnType<ListReader['metadata']>
    try {
      page = await readPage(session, query, objects, unread)
    } catch (error) {
      if (next === undefined || !isApiStatus(error, 410)) throw error
      return readPages(session, '', undefined)
    }
    next = page.continue
    if (next === undefined || next === '') return { objects, unread, resourceVersion: page.resourceVersion ?? '' }
  }
}

async function readPage<T extends KubernetesObject>(
  session: ReadSession<T>,
  query: Readonly<Record<string, string | undefined>>,
  objects: Map<string, Decoded<T>>,
  unread: Set<string>,
): Promise<ReturnType<ListReader['metadata']>> {
  const opened = await openCollection(session, 'list', query, LIST_SILENCE)
  const budget = createTurnBudget(BYTES_PER_TURN)
  const reader = listReaderOf(session, opened.response)
  try {
    for await (const chunk of opened.chunks) {
      for (const payload of reader.push(chunk)) {
        const result = decodeOrCount(session, reader.parse(payload))
        if (result.kind === 'decoded') objects.set(result.key, result)
        else if (result.key !== undefined) unread.add(result.key)
        await budget.spend(payload.length)
      }
    }
    return reader.metadata()
  } finally {
    opened.close()
  }
}
