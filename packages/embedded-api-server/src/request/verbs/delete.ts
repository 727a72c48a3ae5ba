import type { ApiResponse } from '@berth/types'
import { requireAdmission } from '../../admission/require-admission.ts'
import { keyOf, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, stringAt, valueAt, withValueAt, type JsonObject } from '../../schema/json/json-object.ts'
import { strategyOf } from '../strategy-of.ts'
import type { StatusCause } from '../../schema/status/status-error.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import {
  badRequest,
  forbidden,
  invalidOptions,
  methodNotAllowed,
  preconditionFailed,
} from '../../schema/status/api-errors.ts'
import { negotiate } from '../content/negotiate.ts'
import { presentList, presentObject } from '../content/present.ts'
import { optionalBodyObject } from '../content/read-body.ts'
import { isDryRun, type ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse, piecewiseResponse, textResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { validateDryRun } from '../parameters/validate-write-options.ts'
import { requireObject } from './read.ts'
import { selectionOf } from '../parameters/selection.ts'
import { canRemove } from './update.ts'
import type { DeleteOptions } from '../../resources/context/object-writer.ts'

/** Deletes one object (DELETE). */
export function deleteObject(context: ServerContext, request: ResourceRequest): ApiResponse {
  const presentation = negotiate(request.http.headers['accept'])
  const object = requireObject(context, request)
  const options = deleteOptionsOf(request, optionalBodyObject(request))
  const result = removeObject(context, request, object, options)
  const { kind } = request
  if (!result.isRemoved || strategyOf(kind).returnsDeleted === true) {
    return textResponse(200, 'application/json', presentObject(context, request, presentation, result.object))
  }
  return jsonResponse(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: request.name,
      ...(kind.group === '' ? {} : { group: kind.group }),
      kind: kind.plural,
      uid: object.metadata.uid,
    },
  })
}

/** Deletes the selected objects of a collection one by one (DELETE). */
export function deleteCollection(context: ServerContext, request: ResourceRequest): ApiResponse {
  if (request.kind.storage === '/namespaces') throw methodNotAllowed()
  const presentation = negotiate(request.http.headers['accept'])
  const options = deleteOptionsOf(request, optionalBodyObject(request))
  const selection = selectionOf(request)
  const items = context.store.collection(request.kind.storage).list().filter(selection.includes)
  for (const object of items) removeObject(context, request, object, options)
  const metadata = { resourceVersion: String(context.store.revision) }
  // As upstream: the objects before the deletion.
  return piecewiseResponse(200, 'application/json', presentList(context, request, presentation, { metadata, items }))
}

/** Reads DeleteOptions. The body takes precedence over the query. */
export function deleteOptionsOf({ query }: Pick<ResourceRequest, 'query'>, body: JsonObject): DeleteOptions {
  validateDeleteOptions(query, body)
  const queryGracePeriod = query.get('gracePeriodSeconds')
  const gracePeriodSeconds =
    numberAt(body, 'gracePeriodSeconds') ?? (queryGracePeriod === null ? undefined : Number(queryGracePeriod))
  const defaultPolicy = valueAt(body, 'orphanDependents') === true ? 'Orphan' : ''
  return {
    ...(gracePeriodSeconds === undefined || !Number.isInteger(gracePeriodSeconds) ? {} : { gracePeriodSeconds }),
    propagationPolicy: stringAt(body, 'propagationPolicy') || query.get('propagationPolicy') || defaultPolicy,
    isDryRun: [...query.getAll('dryRun'), ...listAt(body, 'dryRun')].length > 0,
    uid: stringAt(body, 'preconditions', 'uid'),
    resourceVersion: stringAt(body, 'preconditions', 'resourceVersion'),
  }
}

function validateDeleteOptions(query: URLSearchParams, body: JsonObject): void {
  const kind = stringAt(body, 'kind')
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(stringAt(body, 'apiVersion'))} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const policy = stringAt(body, 'propagationPolicy') || (query.get('propagationPolicy') ?? '')
  const field = 'propagationPolicy'
  const causes: StatusCause[] = [...validateDryRun([...query.getAll('dryRun'), ...listAt(body, 'dryRun')])]
  if (policy !== '' && valueAt(body, 'orphanDependents') !== undefined) {
    causes.push(fieldError.invalid(field, policy, 'orphanDependents and deletionPropagation cannot be both set'))
  } else if (policy !== '' && !PROPAGATION_POLICIES.includes(policy)) {
    causes.push(fieldError.notSupported(field, policy, [...PROPAGATION_POLICIES, 'nil']))
  }
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes)
}

const PROPAGATION_POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan']

/** Namespaces whose deletion upstream's NamespaceLifecycle admission refuses. */
const PROTECTED_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

function requireDeletable({ kind }: ResourceRequest, object: ApiObject): void {
  const { name = '' } = object.metadata
  if (kind.storage === '/namespaces' && PROTECTED_NAMESPACES.has(name)) {
    throw forbidden(kind, name, 'this namespace may not be deleted')
  }
}

/** Deletes an object, or marks it as being deleted while finalizers, a namespace's content or a running pod remain. */
export function removeObject(
  context: ServerContext,
  request: ResourceRequest,
  object: ApiObject,
  options: DeleteOptions,
): { readonly object: ApiObject; readonly isRemoved: boolean } {
  requireDeletable(request, object)
  requirePreconditions(request, object, options)
  requireAdmission(context, request, { operation: 'DELETE', old: object })
  const collection = context.store.collection(request.kind.storage)
  const gracePeriodSeconds = graceSeconds(object, options)
  const marked = withPropagationFinalizers(
    withDeletionFinalizer(request, markDeleted(context, object, gracePeriodSeconds)),
    options.propagationPolicy ?? '',
  )
  const isGone = canRemove(marked)
  if (options.isDryRun === true || isDryRun(request)) return { object: isGone ? object : marked, isRemoved: isGone }
  if (isGone) return { object: removalResult(collection.remove(keyOf(object)) ?? object, marked), isRemoved: isGone }
  return { object: marked === object ? object : collection.put(keyOf(object), marked), isRemoved: isGone }
}

// Adds the finalizer that keeps the object until the server has cleaned up.
function withDeletionFinalizer({ kind }: ResourceRequest, object: ApiObject): ApiObject {
  const finalizer = strategyOf(kind).deletionFinalizer
  const { finalizers = [] } = object.metadata
  if (finalizer === undefined || finalizers.includes(finalizer)) return object
  return withMetadata(object, { finalizers: [...finalizers, finalizer] })
}

// The response shows a pod as marked even when it was removed at once.
function removalResult(object: ApiObject, marked: ApiObject): ApiObject {
  return object.kind === 'Pod' ? withMetadata(marked, { resourceVersion: object.metadata.resourceVersion }) : object
}

function requirePreconditions(
  request: ResourceRequest,
  object: ApiObject,
  { uid = '', resourceVersion = '' }: DeleteOptions,
): void {
  const name = object.metadata.name ?? ''
  if (uid !== '' && uid !== object.metadata.uid) {
    throw preconditionFailed(
      request.kind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${object.metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== '' && resourceVersion !== object.metadata.resourceVersion) {
    throw preconditionFailed(
      request.kind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${object.metadata.resourceVersion}). The object might have been modified`,
    )
  }
}

/** Returns the grace period of a pod: none without a node or after it has ended. Other kinds have none. */
function graceSeconds(object: ApiObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (object.kind !== 'Pod') return 0
  const phase = stringAt(object, 'status', 'phase')
  if (stringAt(object, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  const requested = gracePeriodSeconds ?? numberAt(object, 'spec', 'terminationGracePeriodSeconds') ?? 30
  return requested < 0 ? 1 : requested
}

function markDeleted(context: ServerContext, object: ApiObject, seconds: number): ApiObject {
  const before = object.metadata.deletionGracePeriodSeconds
  // A second deletion can only shorten the grace period. It does not change the desired state, so generation stays.
  if (object.metadata.deletionTimestamp !== undefined && before !== undefined && before <= seconds) return object
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(context.clock, seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    generation:
      before !== undefined || object.metadata.generation === undefined
        ? object.metadata.generation
        : object.metadata.generation + 1,
  })
  return object.kind === 'Namespace' ? withValueAt(marked, ['status', 'phase'], 'Terminating') : marked
}

const PROPAGATION_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan'])

function withPropagationFinalizers(object: ApiObject, policy: string): ApiObject {
  if (policy === '') return object
  const others = (object.metadata.finalizers ?? []).filter((each) => !PROPAGATION_FINALIZERS.has(each))
  const added = policy === 'Foreground' ? ['foregroundDeletion'] : policy === 'Orphan' ? ['orphan'] : []
  const finalizers = [...others, ...added]
  return withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers })
}
