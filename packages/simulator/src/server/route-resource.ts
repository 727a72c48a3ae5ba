import type { ApiResponse } from '@berth/types'
import { methodNotAllowed, unknownResource } from '../refusal/refusals.ts'
import { bindPod } from '../subresources/binding.ts'
import { evictPod } from '../subresources/eviction.ts'
import { finalizeNamespace } from '../subresources/finalize.ts'
import { scaleObject } from '../subresources/scale.ts'
import { createFromBody } from '../verbs/create.ts'
import { deleteCollection, deleteObject } from '../verbs/delete.ts'
import { patchFromBody } from '../verbs/patch.ts'
import { getObject, listObjects } from '../verbs/read.ts'
import { updateFromBody } from '../verbs/update.ts'
import { watchObjects } from '../verbs/watch.ts'
import type { ResourceRequest } from './resource-request.ts'
import type { ServerContext } from './server-context.ts'

/** Answers a request for a resource. */
export function routeResource(context: ServerContext, request: ResourceRequest): ApiResponse {
  if (request.subresource !== '') return routeSubresource(context, request)
  const isWatch = ['true', '1'].includes(request.query.get('watch') ?? '')
  if (request.name === '') return routeCollection(context, request, isWatch)
  switch (request.http.method) {
    case 'GET':
      return isWatch ? watchObjects(context, request) : getObject(context, request)
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

function routeCollection(context: ServerContext, request: ResourceRequest, isWatch: boolean): ApiResponse {
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

function routeSubresource(context: ServerContext, request: ResourceRequest): ApiResponse {
  const { kind, subresource, http } = request
  if (request.name === '') throw unknownResource()
  if (subresource === 'status' && kind.hasStatus) return routeStatus(context, request)
  if (subresource === 'scale' && kind.hasScale) return scaleObject(context, request)
  const isPod = kind.storage === '/pods'
  if (isPod && subresource === 'binding') {
    if (http.method !== 'POST') throw methodNotAllowed()
    return bindPod(context, request)
  }
  if (isPod && subresource === 'eviction') {
    if (http.method !== 'POST') throw methodNotAllowed()
    return evictPod(context, request)
  }
  if (kind.storage === '/namespaces' && subresource === 'finalize') {
    if (http.method !== 'PUT') throw methodNotAllowed()
    return finalizeNamespace(context, request)
  }
  throw unknownResource()
}

function routeStatus(context: ServerContext, request: ResourceRequest): ApiResponse {
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
