import type { ApiResponse } from '@berth/types'
import { keyOf, storageKey, type ApiObject } from '../../schema/json/api-object.ts'
import { badRequest, expired, notFound } from '../../schema/status/api-errors.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentList, presentObject } from '../content/present.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { piecewiseResponse, textResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { decodeContinueToken, encodeContinueToken } from '../parameters/continue-token.ts'
import { parseResourceVersion, requireNotInFuture, validateListOptions } from '../parameters/resource-version.ts'
import { selectionOf } from '../parameters/selection.ts'

/** Returns the stored object that a request names. */
export function requireObject(context: ServerContext, request: ResourceRequest): ApiObject {
  const object = findObject(context, request)
  if (object === undefined) throw notFound(request.kind, request.name)
  return object
}

/** Returns the stored object that a request names; undefined when there is none. */
export function findObject(context: ServerContext, { kind, namespace, name }: ResourceRequest): ApiObject | undefined {
  return context.store.collection(kind.storage).get(storageKey(namespace, name))
}

/** Returns one object (GET). */
export function getObject(context: ServerContext, request: ResourceRequest): ApiResponse {
  requireNotInFuture(parseResourceVersion(request.query.get('resourceVersion')), context.store.revision)
  const presentation = negotiate(request.http.headers['accept'])
  return textResponse(
    200,
    'application/json',
    presentObject(context, request, presentation, requireObject(context, request)),
  )
}

/** Lists a collection, in pages if the request sets a limit (GET). */
export function listObjects(context: ServerContext, request: ResourceRequest): ApiResponse {
  validateListOptions(request, false)
  const presentation = negotiate(request.http.headers['accept'])
  const { query } = request
  const limit = parseLimit(query.get('limit'))
  const token = query.get('continue') ?? ''
  if (token !== '' && (query.get('resourceVersion') ?? '') !== '') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const isSelecting = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== ''
  const { items, revision } = token === '' ? startList(context, request, limit) : continueList(context, request, token)
  const page = limit === 0 ? items : items.slice(0, limit)
  const last = page.at(-1)
  const remaining = items.length - page.length
  const metadata = {
    resourceVersion: String(revision),
    ...(remaining === 0 || last === undefined
      ? {}
      : {
          continue: encodeContinueToken({ revision, start: `/${keyInNamespace(request, last)}\0` }),
          // Upstream omits the count with selectors, because it would have to read all objects.
          ...(isSelecting ? {} : { remainingItemCount: remaining }),
        }),
  }
  return piecewiseResponse(
    200,
    'application/json',
    presentList(context, request, presentation, { metadata, items: page }),
  )
}

/** The selected objects at a revision. */
interface ListResult {
  readonly items: readonly ApiObject[]
  readonly revision: number
}

function startList(context: ServerContext, request: ResourceRequest, limit: number): ListResult {
  const collection = context.store.collection(request.kind.storage)
  const selection = selectionOf(request)
  const requested = parseResourceVersion(request.query.get('resourceVersion'))
  requireNotInFuture(requested, context.store.revision)
  const match = request.query.get('resourceVersionMatch') ?? ''
  // Compatibility with clients older than resourceVersionMatch: a limit makes the version exact.
  const isExact = match === 'Exact' || (match === '' && limit > 0 && requested !== 0)
  if (!isExact || requested === undefined) {
    return { items: collection.list().filter(selection.includes), revision: context.store.revision }
  }
  const pastObjects = collection.listAt(requested)
  if (pastObjects === undefined) throw expired('The resourceVersion for the provided list is too old.')
  return { items: pastObjects.filter(selection.includes), revision: requested }
}

const EXPIRED_TOKEN_MESSAGE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

function continueList(context: ServerContext, request: ResourceRequest, text: string): ListResult {
  const token = decodeContinueToken(text)
  const collection = context.store.collection(request.kind.storage)
  const selection = selectionOf(request)
  const revision = token.revision < 0 ? context.store.revision : token.revision
  requireNotInFuture(revision, context.store.revision)
  const objects = token.revision < 0 ? collection.list() : collection.listAt(revision)
  if (objects === undefined)
    throw expired(EXPIRED_TOKEN_MESSAGE, encodeContinueToken({ revision: -1, start: token.start }))
  const startKey = storageKey(request.namespace, token.start)
  return { items: objects.filter((each) => keyOf(each) >= startKey && selection.includes(each)), revision }
}

// In a list of one namespace, keys are relative to the namespace.
function keyInNamespace({ namespace }: ResourceRequest, object: ApiObject): string {
  const key = keyOf(object)
  return namespace === '' ? key : key.slice(namespace.length + 1)
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return 0
  if (!/^-?\d{1,18}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Math.max(0, Number(text))
}
