import type { ObjectType } from '@berth/kube-schema'
import { validateWriteOptions } from '../parameters/validate-write-options.ts'
import type { ApiResponse } from '@berth/types'
import { withAdmissionDefaults, applyMutatingAdmission, requireAdmission } from '../../admission/require-admission.ts'
import { storageKey, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { stringAt } from '../../schema/json/json-object.ts'
import { toStorage } from '../../resources/kinds/storage-form.ts'
import { apiVersionOf } from '../../resources/kinds/resource-kind.ts'
import { strategyOf } from '../strategy-of.ts'
import { recordUpdate } from '../../apply/ownership/managed-fields.ts'
import {
  alreadyExists,
  badRequest,
  definitionTerminating,
  invalid,
  notFound,
  namespaceTerminating,
  untypedError,
} from '../../schema/status/api-errors.ts'
import { typeOfKind } from '../../schema/built-in-types.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentObject } from '../content/present.ts'
import { bodyObject, duplicateFieldsOf } from '../content/read-body.ts'
import { fieldManagerOf, isDryRun, type ResourceRequest } from '../../resources/context/resource-request.ts'
import { textResponse, warningHeaders } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { createSuffix, createUid, timestamp } from '../../store/generated-metadata.ts'
import { validateMetadata } from '../../resources/validation/validate-metadata.ts'
import { decodeObject } from '../../resources/context/decode-body.ts'

/** Creates the object in the body (POST). */
export function createFromBody(context: ServerContext, request: ResourceRequest): ApiResponse {
  const presentation = negotiate(request.http.headers['accept'])
  validateWriteOptions(request)
  const body = bodyObject(request)
  const { object, warnings } = decodeObject(request, body, duplicateFieldsOf(request, body))
  const created = storeCreated(context, request, prepareCreate(context, request, object))
  return textResponse(
    201,
    'application/json',
    presentObject(context, request, presentation, created),
    warningHeaders(warnings),
  )
}

/**
 * Returns a new object as it will be stored: validated, with identity, defaults and changes by admission. The writer owns
 * the fields it sent and the defaults, but not those that admission adds.
 */
export function prepareCreate(context: ServerContext, request: ResourceRequest, sent: ApiObject): ApiObject {
  const { kind } = request
  if (kind.custom?.isTerminating === true) throw definitionTerminating(kind, sent.metadata.name ?? '')
  const strategy = strategyOf(kind)
  const namespace = namespaceOf(request, sent)
  const { resourceVersion = '' } = sent.metadata
  if (request.http.method === 'POST' && resourceVersion !== '' && resourceVersion !== '0') {
    throw untypedError('resourceVersion should not be set on objects to be created')
  }
  const name = sent.metadata.name || generateName(context, sent)
  requireNamespace(context, request, namespace, name)
  let object = withMetadata(toStorage(kind, kind.hasStatus && kind.storage !== '/nodes' ? withoutStatus(sent) : sent), {
    name,
    namespace: namespace === '' ? undefined : namespace,
    uid: createUid(context.random),
    creationTimestamp: timestamp(context.clock),
    generation: kind.hasGeneration ? 1 : sent.metadata.generation,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    managedFields: undefined,
  })
  object = strategy.defaults?.(object) ?? object
  const { managedFields } = withCreator(context, request, object).metadata
  const prepared = strategy.prepareCreate?.(withAdmissionDefaults(context, request, object), context) ?? object
  object = withMetadata(applyMutatingAdmission(context, request, { object: prepared, strategy }), { managedFields })
  const causes = [...validateMetadata(kind, object), ...(strategy.validate?.(object, undefined, false) ?? [])]
  if (causes.length > 0) throw invalid(kind, name, causes)
  for (const warning of strategy.warnings?.(object) ?? []) request.warn?.(warning)
  return object
}

function withCreator(context: ServerContext, request: ResourceRequest, object: ApiObject): ApiObject {
  return recordUpdate(storageType(request), undefined, object, {
    manager: fieldManagerOf(request),
    apiVersion: apiVersionOf(request.kind),
    subresource: '',
    time: timestamp(context.clock),
  })
}

/** Stores a prepared object unless one with its name exists. */
export function storeCreated(context: ServerContext, request: ResourceRequest, object: ApiObject): ApiObject {
  requireAdmission(context, request, { operation: 'CREATE', object })
  const collection = context.store.collection(request.kind.storage)
  const key = storageKey(object.metadata.namespace ?? '', object.metadata.name ?? '')
  const existing = collection.get(key)
  if (existing !== undefined) {
    const isTerminating = existing.metadata.deletionTimestamp !== undefined
    throw alreadyExists(request.kind, object.metadata.name ?? '', isTerminating ? 'object is being deleted: ' : '')
  }
  return isDryRun(request) ? object : collection.put(key, request.kind.custom?.toStoredVersion(object) ?? object)
}

/** Returns the type of an object's stored form, which names the owned fields. */
export function storageType({ kind }: ResourceRequest): ObjectType {
  return kind.storage === '/events' ? typeOfKind('v1', 'Event') : kind.type
}

/** Returns the namespace of the object. Refuses an object that names another namespace than the request. */
export function namespaceOf(request: ResourceRequest, sent: ApiObject): string {
  if (!request.kind.namespaced) return ''
  const given = sent.metadata.namespace ?? ''
  if (given !== '' && given !== request.namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`)
  }
  return request.namespace
}

function generateName({ random }: ServerContext, sent: ApiObject): string {
  const base = sent.metadata.generateName ?? ''
  return base === '' ? '' : base.slice(0, 58) + createSuffix(random, 5)
}

function requireNamespace(context: ServerContext, request: ResourceRequest, namespace: string, name: string): void {
  if (!request.kind.namespaced) return
  const found = context.store.collection('/namespaces').get(namespace)
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  const isEvent = request.kind.storage === '/events'
  if (stringAt(found, 'status', 'phase') === 'Terminating' && !isEvent) {
    throw namespaceTerminating(request.kind, name, namespace)
  }
}

function withoutStatus(object: ApiObject): ApiObject {
  const { status: _, ...rest } = object
  return rest
}
