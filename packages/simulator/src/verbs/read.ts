import type { ApiResponse } from '@berth/types'
import { storageKey, type ApiObject } from '../json/api-object.ts'
import { badRequest, expired, notFound } from '../refusal/refusals.ts'
import { negotiate } from '../server/negotiate.ts'
import { presentList, presentObject } from '../server/present.ts'
import type { ResourceRequest } from '../server/resource-request.ts'
import { textResponse } from '../server/respond.ts'
import type { ServerContext } from '../server/server-context.ts'
import { parseResourceVersion, requireReached, tooOld, validateListOptions } from './resource-version.ts'
import { selectionOf } from './selection.ts'

/** The stored object that a request names. */
export function requireObject(context: ServerContext, request: ResourceRequest): ApiObject {
  const { kind, namespace, name } = request
  const object = context.store.collection(kind.storage).get(storageKey(namespace, name))
  if (object === undefined) throw notFound(kind, name)
  return object
}

/** GET of one object. */
export function getObject(context: ServerContext, request: ResourceRequest): ApiResponse {
  requireReached(parseResourceVersion(request.query.get('resourceVersion')), context.store.revision)
  const as = negotiate(request.http.headers['accept'])
  return textResponse(200, 'application/json', presentObject(context, request, as, requireObject(context, request)))
}

/** GET of a collection, whole or page by page. */
export function listObjects(context: ServerContext, request: ResourceRequest): ApiResponse {
  validateListOptions(request, false)
  const as = negotiate(request.http.headers['accept'])
  const { query } = request
  const limit = parseLimit(query.get('limit'))
  const token = query.get('continue') ?? ''
  if (token !== '' && (query.get('resourceVersion') ?? '') !== '') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const isSelecting = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== ''
  const { items, revision } = token === '' ? listed(context, request) : continued(context, token)
  const page = limit === 0 ? items : items.slice(0, limit)
  const rest = items.slice(page.length)
  const metadata = {
    resourceVersion: String(revision),
    ...(rest.length === 0
      ? {}
      : {
          continue: context.snapshots.keep({ revision, items: rest }),
          // Upstream would have to look at everything to know how many are selected.
          ...(isSelecting ? {} : { remainingItemCount: rest.length }),
        }),
  }
  return textResponse(200, 'application/json', presentList(context, request, as, { metadata, items: page }))
}

function listed(
  context: ServerContext,
  request: ResourceRequest,
): { readonly items: readonly ApiObject[]; readonly revision: number } {
  const collection = context.store.collection(request.kind.storage)
  const selection = selectionOf(request)
  const asked = parseResourceVersion(request.query.get('resourceVersion'))
  requireReached(asked, context.store.revision)
  const isExact = request.query.get('resourceVersionMatch') === 'Exact'
  if (!isExact || asked === undefined) {
    return { items: collection.list().filter(selection.includes), revision: context.store.revision }
  }
  const past = collection.listAt(asked)
  if (past === undefined) throw tooOld(asked, collection.oldestRevision)
  return { items: past.filter(selection.includes), revision: asked }
}

function requireToken(token: string): void {
  try {
    JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    throw badRequest('invalid continue token: continue key is not valid')
  }
}

function continued(
  context: ServerContext,
  token: string,
): { readonly items: readonly ApiObject[]; readonly revision: number } {
  requireToken(token)
  const snapshot = context.snapshots.find(token)
  if (snapshot !== undefined) return snapshot
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
  )
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return 0
  if (!/^-?\d{1,18}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Math.max(0, Number(text))
}
