import type { ApiResponse } from '@berth/types'
import type { ApiObject } from '../json/api-object.ts'
import { isObject, numberAt, objectAt, valueAt, withValueAt, type JsonObject } from '../json/json-object.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/json-merge-patch.ts'
import { fieldError } from '../refusal/field-error.ts'
import { badRequest, invalid, methodNotAllowed, staleWrite } from '../refusal/refusals.ts'
import { bodyJson, bodyObject, contentTypeOf } from '../server/read-body.ts'
import type { ResourceRequest } from '../server/resource-request.ts'
import { jsonResponse } from '../server/respond.ts'
import type { ServerContext } from '../server/server-context.ts'
import { requireObject } from '../verbs/read.ts'
import { prepareUpdate, recorded, writeUpdate } from '../verbs/update.ts'

/** GET, PUT and PATCH of the scale subresource: the replicas of a workload, whatever its kind. */
export function scaleObject(context: ServerContext, request: ResourceRequest): ApiResponse {
  const object = requireObject(context, request)
  const scale = scaleOf(object)
  const sent = sentScale(request, scale)
  if (sent === undefined) return jsonResponse(200, scale)
  const version = valueAt(sent, 'metadata', 'resourceVersion')
  if (typeof version === 'string' && version !== '' && version !== object.metadata.resourceVersion) {
    throw staleWrite(request.kind, request.name)
  }
  const replicas = numberAt(sent, 'spec', 'replicas') ?? 0
  if (!Number.isInteger(replicas) || replicas < 0) {
    const cause = fieldError.invalid('spec.replicas', replicas, 'must be greater than or equal to 0')
    throw invalid({ group: 'autoscaling', plural: 'scales', kind: 'Scale' }, request.name, [cause])
  }
  const main = { ...request, subresource: '' }
  const next = prepareUpdate(main, object, withValueAt(object, ['spec', 'replicas'], replicas))
  const stored = writeUpdate(context, main, { old: object, next: recorded(context, request, object, next) })
  return jsonResponse(200, scaleOf(stored))
}

function sentScale(request: ResourceRequest, scale: JsonObject): JsonObject | undefined {
  if (request.http.method === 'GET') return undefined
  if (request.http.method === 'PUT') return bodyObject(request)
  if (request.http.method !== 'PATCH') throw methodNotAllowed()
  const patch = bodyJson(request)
  const patched =
    contentTypeOf(request) === 'application/json-patch+json'
      ? applyJsonPatch(scale, patch)
      : applyMergePatch(scale, patch)
  if (!isObject(patched)) throw badRequest('error decoding patch: the patch is no JSON object')
  return patched
}

function scaleOf(object: ApiObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = numberAt(object, 'spec', 'replicas') ?? 0
  const selector = objectAt(object, 'spec', 'selector')
  const labels = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // Zero is left out here, as upstream's type does; in the status it is not.
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, 'status', 'replicas') ?? 0, selector: labels.join(',') },
  }
}
