import { applyJsonMergePatch, type ApiResponse } from '@berth/types'
import type { ScalePaths } from '../../resources/kinds/custom-resource.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import {
  isObject,
  numberAt,
  objectAt,
  stringAt,
  valueAt,
  withValueAt,
  type JsonObject,
} from '../../schema/json/json-object.ts'
import { managedFieldsOf } from '../../apply/ownership/managed-fields.ts'
import { applyJsonPatch } from '../../apply/patch/json-patch.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { badRequest, invalid, methodNotAllowed, staleWrite } from '../../schema/status/api-errors.ts'
import { bodyJson, bodyObject, contentTypeOf } from '../content/read-body.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { requireObject } from '../verbs/read.ts'
import { prepareUpdate, withWriter, writeUpdate } from '../verbs/update.ts'

/** GET, PUT and PATCH of the scale subresource: the replicas of a workload of any kind. */
export function scaleObject(context: ServerContext, request: ResourceRequest): ApiResponse {
  const object = requireObject(context, request)
  const paths = request.kind.custom?.scale ?? WORKLOAD_PATHS
  const scale = scaleOf(object, paths)
  const sent = requestedScale(request, scale)
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
  const next = prepareUpdate(main, object, withValueAt(object, paths.spec, replicas))
  const stored = writeUpdate(context, main, {
    old: object,
    next: withoutScaleTime(withWriter(context, request, object, next)),
  })
  return jsonResponse(200, scaleOf(stored, paths))
}

// As upstream: a managedFields entry of the scale subresource has no time, and so sorts first.
function withoutScaleTime(object: ApiObject): ApiObject {
  const entries = managedFieldsOf(object).map(({ time, ...entry }) =>
    entry.subresource === 'scale' || time === undefined ? entry : { ...entry, time },
  )
  const managedFields = entries.toSorted((a, b) => Number('time' in a) - Number('time' in b))
  return withMetadata(object, { managedFields })
}

function requestedScale(request: ResourceRequest, scale: JsonObject): JsonObject | undefined {
  if (request.http.method === 'GET') return undefined
  if (request.http.method === 'PUT') return bodyObject(request)
  if (request.http.method !== 'PATCH') throw methodNotAllowed()
  const patch = bodyJson(request)
  const patched =
    contentTypeOf(request) === 'application/json-patch+json'
      ? applyJsonPatch(scale, patch)
      : applyJsonMergePatch(scale, patch)
  if (!isObject(patched)) throw badRequest('error decoding patch: the patched object is not a JSON object')
  return patched
}

const WORKLOAD_PATHS: ScalePaths = { spec: ['spec', 'replicas'], status: ['status', 'replicas'] }

function selectorText(object: ApiObject, paths: ScalePaths): string {
  if (paths !== WORKLOAD_PATHS) return paths.selector === undefined ? '' : stringAt(object, ...paths.selector)
  const labels = Object.entries(objectAt(object, 'spec', 'selector', 'matchLabels'))
  return labels.map(([key, value]) => `${key}=${String(value)}`).join(',')
}

function scaleOf(object: ApiObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = numberAt(object, ...paths.spec) ?? 0
  const selector = selectorText(object, paths)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // As in upstream's type: zero replicas are omitted in the spec, but not in the status.
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, ...paths.status) ?? 0,
      ...(selector === '' && paths !== WORKLOAD_PATHS ? {} : { selector }),
    },
  }
}
