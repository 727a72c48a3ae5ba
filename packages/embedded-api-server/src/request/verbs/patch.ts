import { requireMayCreate } from '../../auth/require-allowed.ts'
import type { ApiResponse } from '@berth/types'
import { mutated } from '../../admission/require-admission.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { isObject, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { fromStorage, toStorage } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf } from '../../resources/kinds/resource-kind.ts'
import { applyConfiguration } from '../../apply/ownership/apply-configuration.ts'
import { applyJsonPatch } from '../../apply/patch/json-patch.ts'
import { applyJsonMergePatch } from '../../apply/patch/json-merge-patch.ts'
import { formatGoValue } from '../../apply/patch/format-go-value.ts'
import { applyStrategicMergePatch } from '../../apply/patch/strategic-merge-patch.ts'
import { StatusError } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  untypedError,
  unsupportedMediaType,
  unsupportedPatchType,
} from '../../schema/status/api-errors.ts'
import { rootCursor } from '../../schema/cursor.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentObject } from '../content/present.ts'
import { bodyJson, bodyText, contentTypeOf, yamlValue } from '../content/read-body.ts'
import { fieldManagerOf, requireSameName, type ResourceRequest } from '../../resources/context/resource-request.ts'
import { textResponse, warningHeaders } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { validateWriteOptions } from '../parameters/validate-write-options.ts'
import { prepareCreate, storageType, storeCreated } from './create.ts'
import { decodeSent, type SentObject } from '../../resources/context/decode-body.ts'
import { requireObject } from './read.ts'
import { prepareUpdate, withWriter, requireUnmodified, writeUpdate } from './update.ts'
import { strategyOf } from '../strategy-of.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_YAML = 'application/apply-patch+yaml'

/** PATCH, in whichever of the four forms the content type names. */
export function patchFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const as = negotiate(request.http.headers['accept'])
  validateWriteOptions(request)
  if (contentTypeOf(request) === APPLY_YAML) return applyFromBody(context, request)
  const old = requireObject(context, request)
  const shown = fromStorage(request.kind, old)
  const { object, warnings } = decodePatched(request, applyPatch(request, shown))
  requireSameName(request.name, object.metadata.name)
  requireSameUid(request, old, object)
  const next = toStorage(request.kind, object)
  requireUnmodified(request, old, next)
  const stored = writeUpdate(context, request, {
    old,
    next: withWriter(
      context,
      request,
      old,
      prepareUpdate(request, old, mutated(context, request, { object: next, old, strategy: strategyOf(request.kind) })),
    ),
  })
  return textResponse(200, 'application/json', presentObject(context, request, as, stored), warningHeaders(warnings))
}

// What a patch makes of an object is refused as a value of the patch.
function decodePatched(request: ResourceRequest, value: JsonObject): SentObject {
  try {
    return decodeSent(request, value)
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error
    const prefix = `${request.kind.kind} in version "${request.kind.version}" cannot be handled as a ${request.kind.kind}: `
    const why = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message
    // Of a strategic patch what was sent is shown, of the others what they would have made.
    const shown = contentTypeOf(request) === STRATEGIC_PATCH ? formatGoValue(patchJson(request)) : JSON.stringify(value)
    throw invalid({ group: '', plural: '', kind: '' }, '', [fieldError.invalid('patch', shown, why)])
  }
}

function requireSameUid({ kind, name }: ResourceRequest, old: ApiObject, next: ApiObject): void {
  const { uid = '' } = next.metadata
  if (uid === '' || uid === old.metadata.uid) return
  throw invalid(kind, name, [fieldError.invalid('metadata.uid', uid, 'field is immutable')])
}

function applyPatch(request: ResourceRequest, target: ApiObject): JsonObject {
  switch (contentTypeOf(request)) {
    case JSON_PATCH:
      return applyJsonPatch(target, patchJson(request))
    case MERGE_PATCH:
      return requireJsonObject(applyJsonMergePatch(target, requireJsonObject(patchJson(request))))
    case STRATEGIC_PATCH:
      if (request.kind.custom !== undefined) {
        throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_YAML])
      }
      return applyStrategicMergePatch(target, requireJsonObject(patchJson(request)), rootCursor(request.kind.type))
  }
  throw unsupportedPatchType()
}

// The JSON of a patch.
function patchJson(request: ResourceRequest): unknown {
  try {
    return bodyJson(request)
  } catch (error) {
    throw error instanceof StatusError && error.status.code === 400
      ? badRequest(`error decoding patch: ${error.message}`)
      : error
  }
}

function requireJsonObject(value: unknown): JsonObject {
  if (isObject(value)) return value
  const got = Array.isArray(value) ? 'array' : typeof value
  throw badRequest(`error decoding patch: json: cannot unmarshal ${got} into Go value of type map[string]interface {}`)
}

function decodeAppliedConfig(request: ResourceRequest, value: JsonObject): SentObject {
  try {
    return decodeSent(request, value)
  } catch (error) {
    const [, why] = (error instanceof Error && /: (quantities must match .*)$/.exec(error.message)) || []
    if (why === undefined) throw error
    const { group, version, kind } = request.kind
    const type = `${group}/${version}, Kind=${kind}`
    const key = `${stringAt(value, 'metadata', 'namespace')}/${request.name}`
    throw untypedError(
      `failed to convert new object (${key}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
    )
  }
}

// What an apply made of an object, with every value as its type has it.
function normalizeApplied(request: ResourceRequest, applied: ApiObject): ApiObject {
  const { object } = decodeSent(request, fromStorage(request.kind, applied))
  return toStorage(request.kind, withMetadata(object, { managedFields: applied.metadata.managedFields }))
}

/** Server-side apply: creates the object where there is none. */
function applyFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const as = negotiate(request.http.headers['accept'])
  const value = requireJsonObject(yamlValue(bodyText(request)))
  const { apiVersion, kind: given } = value
  if (typeof apiVersion !== 'string' || typeof given !== 'string') {
    throw badRequest(`invalid object type: /, Kind=${typeof given === 'string' ? given : ''}`)
  }
  if (stringAt(value, 'metadata', 'name') === '') {
    throw badRequest(`the name of the object (${request.name} based on URL) was undeterminable: name must be provided`)
  }
  const { object: sent, warnings, unknownFields } = decodeAppliedConfig(request, value)
  const [unknown] = unknownFields
  if (unknown !== undefined) {
    const key = `${sent.metadata.namespace ?? ''}/${request.name}`
    throw untypedError(
      `failed to create typed patch object (${key}; ${request.kind.group}/${request.kind.version}, Kind=${request.kind.kind}): .${unknown}: field not declared in schema`,
    )
  }
  requireSameName(request.name, sent.metadata.name)
  if ((sent.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil')
  // As it was sent: that a number stands where a text is stored is a difference, and may be a conflict.
  const plain = {
    ...sent,
    ...value,
    metadata: { ...sent.metadata, ...requireJsonObject(value['metadata']) },
  } as ApiObject
  const config = withMetadata(toStorage(request.kind, plain), { name: request.name, managedFields: undefined })
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
  const type = storageType(request)
  const stored = old === undefined ? createApplied() : updateApplied(old)
  const shown = presentObject(context, request, as, stored)
  return textResponse(old === undefined ? 201 : 200, 'application/json', shown, warningHeaders(warnings))

  function createApplied(): ApiObject {
    if (request.subresource !== '') throw notFound(request.kind, request.name)
    const { uid = '' } = config.metadata
    if (uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      throw conflict(request.kind, request.name, why)
    }
    const applied = applyConfiguration(type, undefined, config, options)
    const prepared = prepareCreate(context, request, normalizeApplied(request, applied))
    requireMayCreate(context, request)
    return storeCreated(context, request, withMetadata(prepared, { managedFields: applied.metadata.managedFields }))
  }

  function updateApplied(live: ApiObject): ApiObject {
    requireUnmodified(request, live, config)
    const applied = applyConfiguration(type, live, config, options)
    const prepared = prepareUpdate(
      request,
      live,
      mutated(context, request, {
        object: withMetadata(normalizeApplied(request, applied), { resourceVersion: live.metadata.resourceVersion }),
        old: live,
        strategy: strategyOf(request.kind),
      }),
    )
    const next = withMetadata(prepared, { managedFields: applied.metadata.managedFields })
    return writeUpdate(context, request, { old: live, next })
  }
}
