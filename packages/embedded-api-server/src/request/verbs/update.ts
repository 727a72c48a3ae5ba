import { requireMayCreate } from '../../auth/require-allowed.ts'
import { validateWriteOptions } from '../parameters/validate-write-options.ts'
import { applyMutatingAdmission, requireAdmission } from '../../admission/require-admission.ts'
import type { ApiResponse } from '@berth/types'
import { keyOf, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, objectAt, withField } from '../../schema/json/json-object.ts'
import { toStorage } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf } from '../../resources/kinds/resource-kind.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { updateStatusAndMetadata } from '../../resources/kinds/status-update.ts'
import { strategyOf } from '../strategy-of.ts'
import { managedFieldsOf, recordUpdate } from '../../apply/ownership/managed-fields.ts'
import { liveOrSentManagedFields } from '../../apply/ownership/live-or-sent-managed-fields.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { invalid, staleWrite, storageConflict, untypedError } from '../../schema/status/api-errors.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentObject } from '../content/present.ts'
import { bodyObject, duplicateFieldsOf } from '../content/read-body.ts'
import {
  fieldManagerOf,
  isDryRun,
  requireSameName,
  type ResourceRequest,
} from '../../resources/context/resource-request.ts'
import { textResponse, warningHeaders } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { validateMetadata } from '../../resources/validation/validate-metadata.ts'
import { namespaceOf, prepareCreate, storageType, storeCreated } from './create.ts'
import { decodeObject } from '../../resources/context/decode-body.ts'
import { findObject, requireObject } from './read.ts'

/** Replaces an object (PUT). For some kinds, creates it when it does not exist. */
export function updateFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const presentation = negotiate(request.http.headers['accept'])
  validateWriteOptions(request)
  const mayCreate = strategyOf(request.kind).createsOnUpdate === true && request.subresource === ''
  const old = mayCreate ? findObject(context, request) : requireObject(context, request)
  const body = bodyObject(request)
  const { object, warnings } = decodeObject(request, body, duplicateFieldsOf(request, body))
  requireSameName(request.name, object.metadata.name)
  namespaceOf(request, object)
  if (old === undefined) {
    const created = createByUpdate(context, request, object)
    return textResponse(
      201,
      'application/json',
      presentObject(context, request, presentation, created),
      warningHeaders(warnings),
    )
  }
  const next = toStorage(request.kind, object)
  requireResourceVersion(request, next)
  requireUnmodified(request, old, next)
  const stored = admitAndWriteUpdate(context, request, { old, next })
  return textResponse(
    200,
    'application/json',
    presentObject(context, request, presentation, stored),
    warningHeaders(warnings),
  )
}

/** Runs mutating admission, prepares the update, records its field manager, and stores it. Returns the stored object. */
export function admitAndWriteUpdate(
  context: ServerContext,
  request: ResourceRequest,
  { old, next }: { readonly old: ApiObject; readonly next: ApiObject },
): ApiObject {
  const admitted = applyMutatingAdmission(context, request, { object: next, old, strategy: strategyOf(request.kind) })
  const prepared = prepareUpdate(request, old, admitted)
  return writeUpdate(context, request, { old, next: withWriter(context, request, old, prepared) })
}

function createByUpdate(context: ServerContext, request: ResourceRequest, sent: ApiObject): ApiObject {
  const prepared = prepareCreate(context, request, withMetadata(sent, { name: request.name }))
  const { uid = '' } = sent.metadata
  if (uid !== '') {
    const why = `UID in precondition: ${uid}, UID in object meta: `
    throw storageConflict(request.kind, prepared.metadata, why)
  }
  requireMayCreate(context, request)
  return storeCreated(context, request, prepared)
}

function requireResourceVersion({ kind, name }: ResourceRequest, next: ApiObject): void {
  if (strategyOf(kind).needsVersion !== true || (next.metadata.resourceVersion ?? '') !== '') return
  const cause = fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update')
  throw invalid({ ...kind, kind: kind.plural }, name, [cause])
}

/** Refuses a write whose uid or resourceVersion is not that of the stored object. */
export function requireUnmodified(request: ResourceRequest, old: ApiObject, next: ApiObject): void {
  const { uid, resourceVersion } = next.metadata
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    throw storageConflict(
      request.kind,
      old.metadata,
      `UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    )
  }
  if (resourceVersion !== undefined && !/^\d*$/.test(resourceVersion)) {
    throw untypedError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
  }
  const isAny = resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0'
  if (!isAny && resourceVersion !== old.metadata.resourceVersion) {
    throw staleWrite(request.kind, request.name)
  }
}

/** Returns the updated object, validated. Takes from `next` only the fields that the (sub)resource may change. */
export function prepareUpdate(request: ResourceRequest, old: ApiObject, next: ApiObject): ApiObject {
  const { kind } = request
  const strategy = strategyOf(kind)
  const isStatus = request.subresource === 'status'
  const subresourceStrategy = strategy.subresources?.[request.subresource]
  let object = isStatus
    ? (strategy.prepareStatusUpdate ?? updateStatusAndMetadata)(next, old)
    : ((subresourceStrategy ?? strategy).prepareUpdate?.(next, old) ?? next)
  object = withServerMetadata(object, old)
  if (!isStatus && kind.hasStatus) {
    object = withField(object, 'status', strategy.keepStatus?.(object, old) ?? old['status'])
  }
  object = strategy.defaults?.(object) ?? object
  if (!isStatus && kind.hasGeneration && !equalJson(generationInput(object, kind), generationInput(old, kind))) {
    object = withMetadata(object, { generation: (old.metadata.generation ?? 0) + 1 })
  }
  const errors =
    subresourceStrategy === undefined
      ? strategy.validate?.(object, old, isStatus)
      : subresourceStrategy.validate(object, old)
  const causes = [...validateMetadata(kind, object, old), ...(errors ?? [])]
  if (causes.length > 0) throw invalid(kind, request.name, causes)
  return object
}

/** Returns `next` with the request's field manager as the owner of the changed fields. */
export function withWriter(
  context: ServerContext,
  request: ResourceRequest,
  old: ApiObject,
  next: ApiObject,
): ApiObject {
  const { kind, subresource } = request
  const writer = {
    manager: fieldManagerOf(request),
    apiVersion: apiVersionOf(kind),
    subresource,
    time: timestamp(context.clock),
  }
  const isKnown = (apiVersion: string): boolean =>
    context.kinds.all().some((each) => each.storage === kind.storage && apiVersionOf(each) === apiVersion)
  const owners = subresource === '' ? liveOrSentManagedFields(old, next, isKnown) : managedFieldsOf(old)
  return recordUpdate(storageType(request), old, next, writer, owners)
}

/**
 * Stores the new version unless nothing changed. Removes an object that is being deleted once it has no finalizers.
 */
export function writeUpdate(
  context: ServerContext,
  request: ResourceRequest,
  { old, next: sent }: { readonly old: ApiObject; readonly next: ApiObject },
): ApiObject {
  requireAdmission(context, request, { operation: 'UPDATE', object: sent, old })
  const next = request.kind.custom?.toStoredVersion(sent) ?? sent
  if (equalJson(withoutEntryTimes(next), withoutEntryTimes(old))) return old
  if (isDryRun(request)) return next
  const collection = context.store.collection(request.kind.storage)
  if (!canRemove(next)) return collection.put(keyOf(old), next)
  // As upstream: the last version is not written before the removal, so watches see the version before it.
  collection.remove(keyOf(old))
  return next
}

/** Returns whether an object is being deleted and has neither a grace period nor finalizers left. */
export function canRemove(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0) return false
  return (
    (finalizers ?? []).length === 0 &&
    !(object.kind === 'Namespace' && objectAt(object, 'spec')['finalizers'] !== undefined)
  )
}

function withServerMetadata(object: ApiObject, old: ApiObject): ApiObject {
  const { metadata } = old
  return withMetadata(object, {
    name: metadata.name,
    generateName: metadata.generateName,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
  })
}

// Returns the fields whose changes metadata.generation counts: all except metadata, and status if it is a subresource.
function generationInput(object: ApiObject, { hasStatus }: ResourceKind): object {
  const { metadata: _, status, ...rest } = object
  return hasStatus ? rest : { ...rest, status }
}

// A new time in a managedFields entry is not a change by itself.
function withoutEntryTimes(object: ApiObject): ApiObject {
  const entries = object.metadata.managedFields
  if (entries === undefined) return object
  return withMetadata(object, { managedFields: entries.map((entry) => ({ ...(entry as object), time: '' })) })
}
