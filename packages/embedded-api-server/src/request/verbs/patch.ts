import { applyJsonMergePatch, type ApiResponse } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import type { JsonObject } from '../../schema/json/json-object.ts'
import { fromStorage, toStorage } from '../../resources/kinds/storage-form.ts'
import { applyJsonPatch } from '../../apply/patch/json-patch.ts'
import { formatGoValue } from '../../apply/patch/format-go-value.ts'
import { applyStrategicMergePatch } from '../../apply/patch/strategic-merge-patch.ts'
import { StatusError } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { invalid, unsupportedMediaType, unsupportedPatchType } from '../../schema/status/api-errors.ts'
import { rootCursor } from '../../schema/cursor.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentObject } from '../content/present.ts'
import { contentTypeOf } from '../content/read-body.ts'
import { requireSameName, type ResourceRequest } from '../../resources/context/resource-request.ts'
import { textResponse, warningHeaders } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { validateWriteOptions } from '../parameters/validate-write-options.ts'
import { decodeObject, type DecodedObject } from '../../resources/context/decode-body.ts'
import { applyFromBody } from './apply.ts'
import { patchBody, requirePatchObject } from './patch-body.ts'
import { requireObject } from './read.ts'
import { admitAndWriteUpdate, requireUnmodified } from './update.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_YAML = 'application/apply-patch+yaml'

/** Patches an object in the format that the content type names (PATCH). */
export function patchFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const presentation = negotiate(request.http.headers['accept'])
  validateWriteOptions(request)
  if (contentTypeOf(request) === APPLY_YAML) return applyFromBody(context, request)
  const old = requireObject(context, request)
  const patched = applyPatch(request, fromStorage(request.kind, old))
  const { object, warnings } = decodePatched(request, patched)
  requireSameName(request.name, object.metadata.name)
  requireSameUid(request, old, object)
  const next = toStorage(request.kind, object)
  requireUnmodified(request, old, next)
  const stored = admitAndWriteUpdate(context, request, { old, next })
  const json = presentObject(context, request, presentation, stored)
  return textResponse(200, 'application/json', json, warningHeaders(warnings))
}

function applyPatch(request: ResourceRequest, target: ApiObject): JsonObject {
  switch (contentTypeOf(request)) {
    case JSON_PATCH:
      return applyJsonPatch(target, patchBody(request))
    case MERGE_PATCH:
      return requirePatchObject(applyJsonMergePatch(target, requirePatchObject(patchBody(request))))
    case STRATEGIC_PATCH:
      if (request.kind.custom !== undefined) {
        throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_YAML])
      }
      return applyStrategicMergePatch(target, requirePatchObject(patchBody(request)), rootCursor(request.kind.type))
  }
  throw unsupportedPatchType()
}

/** Decodes a patched object. Upstream reports an invalid result as an invalid value of the field `patch`. */
function decodePatched(request: ResourceRequest, value: JsonObject): DecodedObject {
  try {
    return decodeObject(request, value)
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error
    const prefix = `${request.kind.kind} in version "${request.kind.version}" cannot be handled as a ${request.kind.kind}: `
    const why = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message
    // For a strategic merge patch the message contains the patch, for the other formats the patched object.
    const shown = contentTypeOf(request) === STRATEGIC_PATCH ? formatGoValue(patchBody(request)) : JSON.stringify(value)
    throw invalid({ group: '', plural: '', kind: '' }, '', [fieldError.invalid('patch', shown, why)])
  }
}

function requireSameUid({ kind, name }: ResourceRequest, old: ApiObject, next: ApiObject): void {
  const { uid = '' } = next.metadata
  if (uid === '' || uid === old.metadata.uid) return
  throw invalid(kind, name, [fieldError.invalid('metadata.uid', uid, 'field is immutable')])
}
