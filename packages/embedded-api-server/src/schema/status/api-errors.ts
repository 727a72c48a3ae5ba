import type { Status } from '@berth/types'
import { StatusError, type StatusCause } from './status-error.ts'

/** What refusals say about the resource they speak of. */
export interface ResourceIdentity {
  readonly group: string
  /** Plural name, with a subresource where one was asked: `pods/binding`. */
  readonly plural: string
  readonly kind: string
}

type Details = NonNullable<Status['details']>

function qualifiedName(group: string, name: string): string {
  return group === '' ? name : `${name}.${group}`
}

function details(resource: ResourceIdentity, name: string, more: Details = {}): Details {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, ...more }
}

/** 404: no such object. */
export function notFound(resource: ResourceIdentity, name: string): StatusError {
  const message = `${qualifiedName(resource.group, resource.plural)} "${name}" not found`
  return new StatusError({ code: 404, reason: 'NotFound', message, details: details(resource, name) })
}

/** 404: no such path or resource. */
export function resourceNotFound(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })
}

/** 409: an object of that name exists. */
export function alreadyExists(resource: ResourceIdentity, name: string, before = ''): StatusError {
  const message = `${before}${qualifiedName(resource.group, resource.plural)} "${name}" already exists`
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: details(resource, name) })
}

/** 409 of a deletion's precondition: upstream names the kind here, not the resource. */
export function preconditionFailed(resource: ResourceIdentity, name: string, why: string): StatusError {
  return conflict({ ...resource, plural: resource.kind }, name, why)
}

/** 409 of a write's precondition, as the storage words it. */
export function storageConflict(
  resource: ResourceIdentity,
  object: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  why: string,
): StatusError {
  const { namespace, name = '' } = object
  const key = `/registry/${resource.plural}/${namespace === undefined ? '' : `${namespace}/`}${name}`
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`,
  )
}

/** 409: the object is not in the state that the request expects. */
export function conflict(resource: ResourceIdentity, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(resource.group, resource.plural)} "${name}": ${why}`
  return new StatusError({ code: 409, reason: 'Conflict', message, details: details(resource, name) })
}

/** 409 for a write with an old resourceVersion. */
export function staleWrite(resource: ResourceIdentity, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again'
  return conflict(resource, name, why)
}

/** 409 of server-side apply: other managers own fields that would change. */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return new StatusError({ code: 409, reason: 'Conflict', message, details: { causes } })
}

/** 422: fields do not hold; `causes` has at least one. */
export function invalid(resource: ResourceIdentity, name: string, causes: readonly StatusCause[]): StatusError {
  const sentences = [
    ...new Set(causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))),
  ]
  const text = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${qualifiedName(resource.group, resource.kind)} "${name}" is invalid: ${text}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(resource.group === '' ? {} : { group: resource.group }),
      ...(resource.kind === '' ? {} : { kind: resource.kind }),
      causes,
    },
  })
}

/** 422 of a patch that does not apply. */
export function unprocessablePatch(): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} })
}

/** 400. */
export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message })
}

/** 401. */
export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}

/** 403. */
export function forbidden(resource: ResourceIdentity, name: string, why: string): StatusError {
  const message = `${qualifiedName(resource.group, resource.plural)} "${name}" is forbidden: ${why}`
  return new StatusError({ code: 403, reason: 'Forbidden', message, details: details(resource, name) })
}

/** 403 of a request as a whole; without a resource it was one for a path. */
export function forbiddenRequest(resource: ResourceIdentity | undefined, name: string, why: string): StatusError {
  if (resource === undefined) {
    return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} })
  }
  const { group, plural } = resource
  const what = `${qualifiedName(group, plural)}${name === '' ? '' : ` "${name}"`}`
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: `${what} is forbidden: ${why}`,
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  })
}

const CODE_OF_REASON: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** What a policy denied, with the reason that it gives. */
export function deniedByAdmission(
  resource: ResourceIdentity,
  name: string,
  { reason, why }: { readonly reason: string; readonly why: string },
): StatusError {
  return new StatusError({
    code: CODE_OF_REASON[reason] ?? 422,
    reason,
    message: `${qualifiedName(resource.group, resource.plural)} "${name}" is forbidden: ${why}`,
    details: details(resource, name, { causes: [{ message: why }] }),
  })
}

/** The plain text that a path without a handler answers. */
export const PAGE_NOT_FOUND = '404 page not found\n'

/** 405. */
export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource'
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} })
}

/** 403: the definition of the resource is being deleted. */
export function definitionTerminating(resource: ResourceIdentity, name: string): StatusError {
  return forbidden(resource, name, 'create not allowed while custom resource definition is terminating')
}

/** 406. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${accepted.join(', ')}`
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} })
}

/** 415 of a patch. */
export function unsupportedPatchType(): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  })
}

/** 415. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message })
}

/** 500 as upstream answers errors that no handler foresaw: without reason and details. */
export function untypedError(message: string): StatusError {
  return new StatusError({ code: 500, message })
}

/** 422 of parameters: `kind` is the options object that upstream reads them into. */
export function invalidOptions(kind: string, causes: readonly StatusCause[]): StatusError {
  return invalid({ group: 'meta.k8s.io', plural: '', kind }, '', causes)
}

/** 413. */
export function requestTooLarge(limitBytes: number): StatusError {
  const message = `Request entity too large: limit is ${limitBytes}`
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message })
}

/** 410: the history that the request needs is gone; `token` is where a list may go on all the same. */
export function expired(message: string, token?: string): StatusError {
  const metadata = token === undefined ? {} : { metadata: { continue: token } }
  return new StatusError({ code: 410, reason: 'Expired', message, ...metadata })
}

/** 504: the asked resourceVersion lies in the future. */
export function tooLargeResourceVersion(asked: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    },
  })
}

/** 429: a disruption budget does not allow the eviction. */
export function evictionDenied(cause: string): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: cause }] },
  })
}

/** 500. */
export function internalError(why: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  })
}

/** 403: the namespace is going away. */
export function namespaceTerminating(resource: ResourceIdentity, name: string, namespace: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  return forbidden(resource, name, why)
}
