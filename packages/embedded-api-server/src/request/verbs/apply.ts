import type { ApiResponse } from '@berth/types'
import { applyMutatingAdmission } from '../../admission/require-admission.ts'
import { applyConfiguration } from '../../apply/ownership/apply-configuration.ts'
import { requireMayCreate } from '../../auth/require-allowed.ts'
import { decodeObject, type DecodedObject } from '../../resources/context/decode-body.ts'
import { fieldManagerOf, requireSameName, type ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { apiVersionOf } from '../../resources/kinds/resource-kind.ts'
import { fromStorage, toStorage } from '../../resources/kinds/storage-form.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { badRequest, conflict, notFound, untypedError } from '../../schema/status/api-errors.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentObject } from '../content/present.ts'
import { bodyText, yamlValue } from '../content/read-body.ts'
import { textResponse, warningHeaders } from '../content/responses.ts'
import { strategyOf } from '../strategy-of.ts'
import { prepareCreate, storageType, storeCreated } from './create.ts'
import { requirePatchObject } from './patch-body.ts'
import { findObject } from './read.ts'
import { prepareUpdate, requireUnmodified, writeUpdate } from './update.ts'

/** Applies a configuration to an object, which it creates if necessary (server-side apply). */
export function applyFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const presentation = negotiate(request.http.headers['accept'])
  const value = requirePatchObject(yamlValue(bodyText(request)))
  requireIdentity(request, value)
  const { object: sent, warnings, unknownFields } = decodeConfiguration(request, value)
  requireKnownFields(request, sent, unknownFields)
  requireSameName(request.name, sent.metadata.name)
  if ((sent.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil')
  const configuration = configurationOf(request, value, sent)
  const live = findObject(context, request)
  const stored =
    live === undefined
      ? createApplied(context, request, configuration)
      : updateApplied(context, request, configuration, live)
  const json = presentObject(context, request, presentation, stored)
  return textResponse(live === undefined ? 201 : 200, 'application/json', json, warningHeaders(warnings))
}

function requireIdentity(request: ResourceRequest, value: JsonObject): void {
  const { apiVersion, kind } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw badRequest(`invalid object type: /, Kind=${typeof kind === 'string' ? kind : ''}`)
  }
  if (stringAt(value, 'metadata', 'name') === '') {
    throw badRequest(`the name of the object (${request.name} based on URL) was undeterminable: name must be provided`)
  }
}

function decodeConfiguration(request: ResourceRequest, value: JsonObject): DecodedObject {
  try {
    return decodeObject(request, value)
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

function requireKnownFields({ kind, name }: ResourceRequest, sent: ApiObject, unknownFields: readonly string[]): void {
  const [unknown] = unknownFields
  if (unknown === undefined) return
  const key = `${sent.metadata.namespace ?? ''}/${name}`
  throw untypedError(
    `failed to create typed patch object (${key}; ${kind.group}/${kind.version}, Kind=${kind.kind}): .${unknown}: field not declared in schema`,
  )
}

/**
 * Returns the configuration with its values as they were sent: a number in place of a stored string is a difference, and
 * can be a conflict.
 */
function configurationOf({ kind, name }: ResourceRequest, value: JsonObject, sent: ApiObject): ApiObject {
  const metadata = { ...sent.metadata, ...requirePatchObject(value['metadata']) }
  const object = { ...sent, ...value, metadata } as ApiObject
  return withMetadata(toStorage(kind, object), { name, managedFields: undefined })
}

function createApplied(context: ServerContext, request: ResourceRequest, configuration: ApiObject): ApiObject {
  if (request.subresource !== '') throw notFound(request.kind, request.name)
  const { uid = '' } = configuration.metadata
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(request.kind, request.name, why)
  }
  const applied = mergeConfiguration(context, request, configuration)
  const prepared = prepareCreate(context, request, decodeMerged(request, applied))
  requireMayCreate(context, request)
  return storeCreated(context, request, withMetadata(prepared, { managedFields: applied.metadata.managedFields }))
}

function updateApplied(
  context: ServerContext,
  request: ResourceRequest,
  configuration: ApiObject,
  live: ApiObject,
): ApiObject {
  requireUnmodified(request, live, configuration)
  const applied = mergeConfiguration(context, request, configuration, live)
  const { resourceVersion } = live.metadata
  const object = withMetadata(decodeMerged(request, applied), { resourceVersion })
  const admitted = applyMutatingAdmission(context, request, { object, old: live, strategy: strategyOf(request.kind) })
  const prepared = prepareUpdate(request, live, admitted)
  const next = withMetadata(prepared, { managedFields: applied.metadata.managedFields })
  return writeUpdate(context, request, { old: live, next })
}

function mergeConfiguration(
  context: ServerContext,
  request: ResourceRequest,
  configuration: ApiObject,
  live?: ApiObject,
): ApiObject {
  return applyConfiguration(storageType(request), live, configuration, {
    writer: {
      manager: fieldManagerOf(request),
      apiVersion: apiVersionOf(request.kind),
      subresource: request.subresource,
      time: timestamp(context.clock),
    },
    isForced: request.query.get('force') === 'true',
  })
}

/** Decodes the merged object, so that every value has the type of its field. */
function decodeMerged(request: ResourceRequest, applied: ApiObject): ApiObject {
  const { object } = decodeObject(request, fromStorage(request.kind, applied))
  return toStorage(request.kind, withMetadata(object, { managedFields: applied.metadata.managedFields }))
}
