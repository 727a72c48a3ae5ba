import type { ApiResponse } from '@berth/types'
import { StatusError } from '../schema/status/status-error.ts'
import { methodNotAllowed, notFound, resourceNotFound } from '../schema/status/api-errors.ts'
import { strategyOf } from './strategy-of.ts'
import { requestToken } from './subresources/token-requests.ts'
import { bindPod } from './subresources/binding.ts'
import { isConnection, refuseConnection } from './subresources/connections.ts'
import { evictPod } from './subresources/eviction.ts'
import { finalizeNamespace } from './subresources/finalize.ts'
import { scaleObject } from './subresources/scale.ts'
import { createFromBody } from './verbs/create.ts'
import { deleteCollection, deleteObject } from './verbs/delete.ts'
import { patchFromBody } from './verbs/patch.ts'
import { getObject, listObjects } from './verbs/read.ts'
import { updateFromBody } from './verbs/update.ts'
import { watchObjects } from './verbs/watch.ts'
import { errorResponse, warningHeaders } from './content/responses.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'

const ENDPOINTS_DEPRECATION = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'

/**
 * Runs the verb or subresource of a request, and returns its response. Warnings, such as the deprecation of the kind, go
 * into the Warning header, of errors too.
 */
export function routeResource(context: ServerContext, request: ResourceRequest): ApiResponse {
  const deprecation =
    request.kind.storage === '/endpoints' ? ENDPOINTS_DEPRECATION : request.kind.custom?.deprecationWarning
  const warnings = deprecation === undefined ? [] : [deprecation]
  const response = catchStatusError(() => routeVerb(context, { ...request, warn: (text) => warnings.push(text) }))
  if (warnings.length === 0) return response
  const { warning } = warningHeaders(warnings)
  const sentences = [warning, response.headers['warning']].filter((each) => each !== undefined)
  return { ...response, headers: { ...response.headers, warning: sentences.join(', ') } }
}

// Errors become responses here, so that they carry the warnings too.
function catchStatusError(route: () => ApiResponse): ApiResponse {
  try {
    return route()
  } catch (error) {
    if (error instanceof StatusError) return errorResponse(error)
    throw error
  }
}

function routeVerb(context: ServerContext, request: ResourceRequest): ApiResponse {
  if (request.subresource !== '') return routeSubresource(context, request)
  if (request.name === '') return routeCollection(context, request)
  switch (request.http.method) {
    case 'GET':
      return getObject(context, request)
    case 'PUT':
      return updateFromBody(context, request)
    case 'PATCH':
      return patchFromBody(context, request)
    case 'DELETE':
      return deleteObject(context, request)
    case 'POST':
      throw methodNotAllowed()
  }
}

function routeCollection(context: ServerContext, request: ResourceRequest): ApiResponse {
  const isWatch = ['true', '1'].includes(request.query.get('watch') ?? '')
  switch (request.http.method) {
    case 'GET':
      return isWatch ? watchObjects(context, request) : listObjects(context, request)
    case 'POST':
      if (request.kind.namespaced && request.namespace === '') throw methodNotAllowed()
      return createFromBody(context, request)
    case 'DELETE':
      if (request.kind.namespaced && request.namespace === '') throw methodNotAllowed()
      return deleteCollection(context, request)
    case 'PUT':
    case 'PATCH':
      throw methodNotAllowed()
  }
}

/** The subresources that accept one method only, with the storage of their kind. */
const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['/pods/binding', { method: 'POST', run: bindPod }],
  ['/pods/eviction', { method: 'POST', run: evictPod }],
  ['/serviceaccounts/token', { method: 'POST', run: requestToken }],
  ['/namespaces/finalize', { method: 'PUT', run: finalizeNamespace }],
])

interface Action {
  readonly method: 'POST' | 'PUT'
  readonly run: (context: ServerContext, request: ResourceRequest) => ApiResponse
}

function routeSubresource(context: ServerContext, request: ResourceRequest): ApiResponse {
  const { kind, subresource, http } = request
  if (request.name === '') throw resourceNotFound()
  if (subresource === 'status' && kind.hasStatus) return routeObjectSubresource(context, request)
  if (strategyOf(kind).subresources?.[subresource] !== undefined) return routeObjectSubresource(context, request)
  if (subresource === 'scale' && kind.hasScale) return scaleObject(context, request)
  const action = ACTIONS.get(`${kind.storage}/${subresource}`)
  if (action !== undefined) {
    if (http.method !== action.method) throw methodNotAllowed()
    return action.run(context, request)
  }
  if (isConnection(request)) return refuseConnection(context, request)
  if (kind.custom !== undefined) throw notFound(kind, request.name)
  throw resourceNotFound()
}

// Routes a subresource that returns the whole object and changes a part of it.
function routeObjectSubresource(context: ServerContext, request: ResourceRequest): ApiResponse {
  switch (request.http.method) {
    case 'GET':
      return getObject(context, request)
    case 'PUT':
      return updateFromBody(context, request)
    case 'PATCH':
      return patchFromBody(context, request)
    case 'POST':
    case 'DELETE':
      throw methodNotAllowed()
  }
}
