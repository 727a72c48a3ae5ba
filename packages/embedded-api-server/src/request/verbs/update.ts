import { requireMayCreate } from '../../auth/require-allowed.ts'
import { validateWriteOptions } from '../parameters/validate-write-options.ts'
import { mutated, requireAdmission } from '../../admission/require-admission.ts'
import type { ApiResponse } from '@berth/types'
import { keyOf, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { equalJson, objectAt, withField } from '../../schema/json/json-object.ts'
import { toStorage } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf } from '../../resources/kinds/resource-kind.ts'
import type { ResourceKind } from '../../resources/kinds/resource-kind.ts'
import { takeStatusAndMetadata } from '../../resources/kinds/status-update.ts'
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
import { decodeSent } from '../../resources/context/decode-body.ts'
import { findObject, requireObject } from './read.ts'

/** PUT of a whole object; of some kinds it makes one where there is none. */
export function updateFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const as = negotiate(request.http.headers['accept'])
  validateWriteOptions(request)
  const mayCreate = strategyOf(request.kind).createsOnUpdate === true && request.subresource === ''
  const old = mayCreate ? findObject(context, request) : requireObject(context, request)
  const body = bodyObject(request)
  const { object, warnings } = decodeSent(request, body, duplicateFieldsOf(request, body))
  requireSameName(request.name, object.metadata.name)
  namespaceOf(request, object)
  if (old === undefined) {
    const created = createByUpdate(context, request, object)
    return textResponse(201, 'application/json', presentObject(context, request, as, created), warningHeaders(warnings))
  }
  const next = toStorage(request.kind, object)
  requireResourceVersion(request, next)
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

/** Refuses a write that speaks of another object or of an older version. */
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

/** What an update makes of the object: only what this resource may change is taken from `next`. Validated. */
export function prepareUpdate(request: ResourceRequest, old: ApiObject, next: ApiObject): ApiObject {
  const { kind } = request
  const strategy = strategyOf(kind)
  const isStatus = request.subresource === 'status'
  const subresourceStrategy = strategy.subresources?.[request.subresource]
  let object = isStatus
    ? (strategy.prepareStatusUpdate ?? takeStatusAndMetadata)(next, old)
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

/** The object with the writer of the request recorded as owner of what it changed. */
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
 * Stores the new version; nothing is written when nothing changed. The last finalizer leaving an object that is being
 * deleted removes it.
 */
export function writeUpdate(
  context: ServerContext,
  request: ResourceRequest,
  { old, next: sent }: { readonly old: ApiObject; readonly next: ApiObject },
): ApiObject {
  requireAdmission(context, request, { operation: 'UPDATE', object: sent, old })
  const next = request.kind.custom?.atRest(sent) ?? sent
  if (equalJson(withoutEntryTimes(next), withoutEntryTimes(old))) return old
  if (isDryRun(request)) return next
  const collection = context.store.collection(request.kind.storage)
  if (!canRemove(next)) return collection.put(keyOf(old), next)
  // As upstream: the object is not written once more before it goes; watchers see it as it was.
  collection.remove(keyOf(old))
  return next
}

/** Whether nothing holds an object any more that is being deleted. */
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

// What metadata.generation counts: everything but metadata, and status where that has a subresource.
function generationInput(object: ApiObject, { hasStatus }: ResourceKind): object {
  const { metadata: _, status, ...rest } = object
  return hasStatus ? rest : { ...rest, status }
}

// The time of an owner's entry alone is no change.
function withoutEntryTimes(object: ApiObject): ApiObject {
  const entries = object.metadata.managedFields
  if (entries === undefined) return object
  return withMetadata(object, { managedFields: entries.map((entry) => ({ ...(entry as object), time: '' })) })
}
