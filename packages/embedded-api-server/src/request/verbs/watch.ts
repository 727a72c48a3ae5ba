import type { ApiResponse } from '@berth/types'
import { badRequest, tooLargeResourceVersion } from '../../schema/status/api-errors.ts'
import type { StatusError } from '../../schema/status/status-error.ts'
import { negotiate } from '../content/negotiate.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { Change } from '../../store/change-history.ts'
import { parseResourceVersion, tooOldResourceVersion, validateListOptions } from '../parameters/resource-version.ts'
import { selectionOf } from '../parameters/selection.ts'
import { createWatchFrames } from './watch-frames.ts'
import { createWatchStream, type WatchStream } from './watch-stream.ts'

/** Time between bookmarks, as upstream. */
const BOOKMARK_INTERVAL_MS = 60_000
const DEFAULT_TIMEOUT_S = 1800

/** Streams the changes of a collection, after its existing objects if the client requests them (GET with `watch`). */
export function watchObjects(context: ServerContext, request: ResourceRequest): ApiResponse {
  validateListOptions(request, true)
  const presentation = negotiate(request.http.headers['accept'])
  const { query, kind } = request
  const { revision } = context.store
  const collection = context.store.collection(kind.storage)
  const selection = selectionOf(request)
  const startRevision = parseResourceVersion(query.get('resourceVersion')) ?? 0
  const sendsInitialEvents = isTrue(query.get('sendInitialEvents'))
  const startsWithObjects = query.get('sendInitialEvents') === null ? startRevision === 0 : sendsInitialEvents
  const sendsBookmarks = isTrue(query.get('allowWatchBookmarks'))

  const frames = createWatchFrames(context, request, { presentation, selection })
  const closers: (() => void)[] = []
  const stream = createWatchStream(() => {
    for (const close of closers) close()
  })
  const failWith = (error: StatusError): ApiResponse => {
    stream.pushBacklog(frames.error(error))
    stream.end()
    return streamResponse(stream.body)
  }
  const pushChange = (push: WatchStream['push'], change: Change): void => {
    // A client that starts at a future revision receives nothing before that revision.
    const frame = change.revision > startRevision ? frames.change(change) : undefined
    if (frame !== undefined) push(frame)
  }
  const pushBookmark = (): void => {
    if (context.store.revision >= startRevision) stream.push(frames.bookmark(false))
  }

  const missed = startsWithObjects ? [] : collection.changesAfter(startRevision === 0 ? revision : startRevision)
  if (missed === undefined) return failWith(tooOldResourceVersion(startRevision, collection.oldestRevision))
  if (sendsInitialEvents && startRevision > revision) return failWith(tooLargeResourceVersion(startRevision, revision))

  if (startsWithObjects) {
    for (const object of collection.list()) {
      if (selection.includes(object)) stream.pushBacklog(frames.existing(object))
    }
    if (sendsInitialEvents && sendsBookmarks) stream.pushBacklog(frames.bookmark(true))
  }
  for (const change of missed) pushChange(stream.pushBacklog, change)
  closers.push(scheduleTimers(context, request, { stream, bookmark: sendsBookmarks ? pushBookmark : undefined }))
  closers.push(collection.subscribe((change) => pushChange(stream.push, change), selection.nodeName))
  return streamResponse(stream.body)
}

/** Schedules the bookmarks and the timeout of a watch, and ends it when the client disconnects. Returns the cleanup. */
function scheduleTimers(
  { clock }: ServerContext,
  { query, http }: ResourceRequest,
  { stream, bookmark }: { readonly stream: WatchStream; readonly bookmark: (() => void) | undefined },
): () => void {
  const timeoutMs = 1000 * (parseSeconds(query.get('timeoutSeconds')) || DEFAULT_TIMEOUT_S)
  const tick = (): void => {
    bookmark?.()
    bookmarkTimer = clock.setTimer(BOOKMARK_INTERVAL_MS, tick)
  }
  let bookmarkTimer = clock.setTimer(BOOKMARK_INTERVAL_MS, tick)
  const timeout = clock.setTimer(timeoutMs, () => {
    bookmark?.()
    stream.end()
  })
  const abort = (): void => stream.end()
  http.signal?.addEventListener('abort', abort, { once: true })
  if (http.signal?.aborted === true) queueMicrotask(abort)
  return () => {
    bookmarkTimer.cancel()
    timeout.cancel()
    http.signal?.removeEventListener('abort', abort)
  }
}

function streamResponse(body: AsyncIterable<Uint8Array>): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1'
}

function parseSeconds(text: string | null): number {
  if (text === null || text === '') return 0
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}
