import type { ApiResponse } from '@berth/types'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { badRequest, tooLargeResourceVersion } from '../../schema/status/api-errors.ts'
import { negotiate } from '../content/negotiate.ts'
import { bookmarkOf, presentObject } from '../content/present.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import type { Change } from '../../store/collection.ts'
import { parseResourceVersion, tooOldResourceVersion, validateListOptions } from '../parameters/resource-version.ts'
import { selectionOf } from '../parameters/selection.ts'
import { createWatchStream } from './watch-stream.ts'

/** Time between bookmarks, as upstream. */
const BOOKMARK_INTERVAL_MS = 60_000
const DEFAULT_TIMEOUT_S = 1800

/** GET with `watch`: changes as they happen, after the objects that exist where the client asks for them. */
export function watchObjects(context: ServerContext, request: ResourceRequest): ApiResponse {
  validateListOptions(request, true)
  const as = negotiate(request.http.headers['accept'])
  const { query, kind } = request
  const collection = context.store.collection(kind.storage)
  const selection = selectionOf(request)
  const asked = parseResourceVersion(query.get('resourceVersion'))
  const wantsBookmarks = isTrue(query.get('allowWatchBookmarks'))
  const sendsInitial = query.get('sendInitialEvents')

  const frame = (type: string, object: string): string => `{"type":"${type}","object":${object}}`
  let hasShown = false
  const show = (object: ApiObject): string => {
    const text = presentObject(context, request, as, object)
    if (as !== 'table' || !hasShown) {
      hasShown = true
      return text
    }
    return JSON.stringify({ ...(JSON.parse(text) as object), columnDefinitions: null })
  }
  const bookmark = (endsInitialEvents: boolean): string =>
    frame('BOOKMARK', bookmarkOf(kind, as, context.store.revision, endsInitialEvents))

  const closers: (() => void)[] = []
  const stream = createWatchStream(() => {
    for (const close of closers) close()
  })

  let push = stream.pushBacklog
  const deliver = (change: Change): void => {
    // Who asks for what comes after a revision of the future hears nothing until then.
    if (change.revision <= (asked ?? 0)) return
    const was = change.previous !== undefined && selection.includes(change.previous)
    const is = change.type !== 'DELETED' && selection.includes(change.object)
    if (is) push(frame(was ? 'MODIFIED' : 'ADDED', show(change.object)))
    else if (was && change.previous !== undefined)
      push(frame('DELETED', show(objectWhenDeselected(change, change.previous))))
  }

  const bookmarkNow = (): void => {
    if (context.store.revision >= (asked ?? 0)) push(bookmark(false))
  }

  const startsWithObjects = sendsInitial === null ? asked === undefined || asked === 0 : isTrue(sendsInitial)
  const missed = startsWithObjects
    ? []
    : collection.changesAfter(asked === undefined || asked === 0 ? context.store.revision : asked)
  const refusal =
    missed === undefined
      ? tooOldResourceVersion(asked ?? 0, collection.oldestRevision)
      : isTrue(sendsInitial) && (asked ?? 0) > context.store.revision
        ? tooLargeResourceVersion(asked ?? 0, context.store.revision)
        : undefined
  if (missed === undefined || refusal !== undefined) {
    push(frame('ERROR', JSON.stringify(refusal?.status)))
    stream.end()
    return streamResponse(stream.body)
  }
  if (startsWithObjects) {
    for (const object of collection.list()) if (selection.includes(object)) push(frame('ADDED', show(object)))
    if (isTrue(sendsInitial) && wantsBookmarks) push(bookmark(true))
  }
  for (const change of missed) deliver(change)
  push = stream.push
  closers.push(collection.subscribe(deliver, selection.nodeName))
  closers.push(scheduleTimers(context, request, { stream, bookmark: wantsBookmarks ? bookmarkNow : undefined }))
  return streamResponse(stream.body)
}

function scheduleTimers(
  { clock }: ServerContext,
  { query, http }: ResourceRequest,
  {
    stream,
    bookmark,
  }: { readonly stream: ReturnType<typeof createWatchStream>; readonly bookmark: (() => void) | undefined },
): () => void {
  const timeoutMs = 1000 * (parseSeconds(query.get('timeoutSeconds')) || DEFAULT_TIMEOUT_S)
  const tick = (): void => {
    bookmark?.()
    marker = clock.setTimer(BOOKMARK_INTERVAL_MS, tick)
  }
  let marker = clock.setTimer(BOOKMARK_INTERVAL_MS, tick)
  const timeout = clock.setTimer(timeoutMs, () => {
    bookmark?.()
    stream.end()
  })
  const abort = (): void => stream.end()
  http.signal?.addEventListener('abort', abort, { once: true })
  if (http.signal?.aborted === true) queueMicrotask(abort)
  return () => {
    marker.cancel()
    timeout.cancel()
    http.signal?.removeEventListener('abort', abort)
  }
}

/** An object that left the selection is shown as it was, with the revision of the change. */
function objectWhenDeselected(change: Change, previous: ApiObject): ApiObject {
  return change.type === 'DELETED'
    ? change.object
    : withMetadata(previous, { resourceVersion: String(change.revision) })
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
