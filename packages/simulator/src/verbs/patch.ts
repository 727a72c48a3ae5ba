import type { ApiResponse } from '@berth/types'
import { withMetadata, type ApiObject } from '../json/api-object.ts'
import { isObject, type JsonObject } from '../json/json-object.ts'
import { fromStorage, toStorage } from '../kinds/event-shapes.ts'
import { apiVersionOf } from '../kinds/resource-kind.ts'
import { applyConfiguration } from '../ownership/apply.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/json-merge-patch.ts'
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts'
import { badRequest, notFound, unsupportedMediaType } from '../refusal/refusals.ts'
import { rootCursor } from '../schema/cursor.ts'
import { knownTypes } from '../schema/known-types.ts'
import { negotiate } from '../server/negotiate.ts'
import { presentObject } from '../server/present.ts'
import { bodyJson, bodyText, contentTypeOf, yamlValue } from '../server/read-body.ts'
import { fieldManagerOf, requireSameName, type ResourceRequest } from '../server/resource-request.ts'
import { textResponse } from '../server/respond.ts'
import { timestamp, type ServerContext } from '../server/server-context.ts'
import { prepareNew, storedType, storeNew } from './create.ts'
import { decodeSent, warningHeaders } from './decode-body.ts'
import { requireObject } from './read.ts'
import { prepareUpdate, recorded, requireCurrent, writeUpdate } from './update.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_YAML = 'application/apply-patch+yaml'
const APPLY_CBOR = 'application/apply-patch+cbor'

/** PATCH, in whichever of the four forms the content type names. */
export function patchFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const as = negotiate(request.http.headers['accept'])
  if (contentTypeOf(request) === APPLY_YAML) return applyFromBody(context, request)
  const old = requireObject(context, request)
  const shown = fromStorage(request.kind, old)
  const { object, warnings } = decodeSent(request, patched(request, shown))
  requireSameName(request.name, object.metadata.name)
  const next = toStorage(request.kind, object)
  requireCurrent(request, old, next)
  const stored = writeUpdate(context, request, {
    old,
    next: recorded(context, request, old, prepareUpdate(request, old, next)),
  })
  return textResponse(200, 'application/json', presentObject(context, request, as, stored), warningHeaders(warnings))
}

function patched(request: ResourceRequest, target: ApiObject): JsonObject {
  switch (contentTypeOf(request)) {
    case JSON_PATCH:
      return applyJsonPatch(target, bodyJson(request))
    case MERGE_PATCH:
      return asObject(applyMergePatch(target, asObject(bodyJson(request))))
    case STRATEGIC_PATCH:
      if (!knownTypes.has(request.kind.typeName)) break
      return applyStrategicMergePatch(target, asObject(bodyJson(request)), rootCursor(request.kind.typeName))
  }
  throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_YAML, APPLY_CBOR])
}

function asObject(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw badRequest('error decoding patch: the patch is no JSON object')
}

/** Server-side apply: creates the object where there is none. */
function applyFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const as = negotiate(request.http.headers['accept'])
  if ((request.query.get('fieldManager') ?? '') === '') {
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )
  }
  const { object: sent, warnings } = decodeSent(request, asObject(yamlValue(bodyText(request))))
  requireSameName(request.name, sent.metadata.name)
  if ((sent.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil')
  const config = withMetadata(toStorage(request.kind, sent), { name: request.name, managedFields: undefined })
  const key = request.kind.namespaced ? `${request.namespace}/${request.name}` : request.name
  const old = context.store.collection(request.kind.storage).get(key)
  const options = {
    writer: {
      manager: fieldManagerOf(request),
      apiVersion: apiVersionOf(request.kind),
      subresource: request.subresource,
      time: timestamp(context.clock),
    },
    isForced: request.query.get('force') === 'true',
  }
  const typeName = storedType(request)
  const stored = old === undefined ? createApplied() : updateApplied(old)
  const shown = presentObject(context, request, as, stored)
  return textResponse(old === undefined ? 201 : 200, 'application/json', shown, warningHeaders(warnings))

  function createApplied(): ApiObject {
    if (request.subresource !== '') throw notFound(request.kind, request.name)
    const applied = applyConfiguration(typeName, undefined, config, options)
    const prepared = prepareNew(context, request, applied)
    return storeNew(context, request, withMetadata(prepared, { managedFields: applied.metadata.managedFields }))
  }

  function updateApplied(live: ApiObject): ApiObject {
    requireCurrent(request, live, config)
    const applied = applyConfiguration(typeName, live, config, options)
    const prepared = prepareUpdate(
      request,
      live,
      withMetadata(applied, { resourceVersion: live.metadata.resourceVersion }),
    )
    const next = withMetadata(prepared, { managedFields: applied.metadata.managedFields })
    return writeUpdate(context, request, { old: live, next })
  }
}
