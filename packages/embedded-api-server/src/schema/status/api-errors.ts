import type { Status } from '@berth/types'
import { StatusError, type StatusCause } from './status-error.ts'

/** The names by which a Status identifies a resource. */
export interface ResourceIdentity {
  readonly group: string
  /** Plural name, with the subresource if the request names one: `pods/binding`. */
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

/** Returns a 404: the object does not exist. */
export function notFound(resource: ResourceIdentity, name: string): StatusError {
  const message = `${qualifiedName(resource.group, resource.plural)} "${name}" not found`
  return new StatusError({ code: 404, reason: 'NotFound', message, details: details(resource, name) })
}

/** Returns a 404: the path or resource does not exist. */
export function resourceNotFound(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })
}

/** Returns a 409: an object with that name exists. */
export function alreadyExists(resource: ResourceIdentity, name: string, before = ''): StatusError {
  const message = `${before}${qualifiedName(resource.group, resource.plural)} "${name}" already exists`
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: details(resource, name) })
}

/** Returns a 501: this server cannot do what upstream does through a kubelet. */
export function notImplemented(resource: ResourceIdentity, name: string, message: string): StatusError {
  return new StatusError({ code: 501, reason: 'NotImplemented', message, details: details(resource, name) })
}

/** Returns a 409 for a precondition of a deletion. Upstream names the kind here, not the resource. */
export function preconditionFailed(resource: ResourceIdentity, name: string, why: string): StatusError {
  return conflict({ ...resource, plural: resource.kind }, name, why)
}

/** Returns a 409 for a precondition of a write, with the message of upstream's storage layer. */
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

/** Returns a 409: the object is not in the state that the request expects. */
export function conflict(resource: ResourceIdentity, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(resource.group, resource.plural)} "${name}": ${why}`
  return new StatusError({ code: 409, reason: 'Conflict', message, details: details(resource, name) })
}

/** Returns a 409 for a write with an old resourceVersion. */
export function staleWrite(resource: ResourceIdentity, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again'
  return conflict(resource, name, why)
}

/** Returns a 409 for server-side apply: other managers own fields that would change. */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return new StatusError({ code: 409, reason: 'Conflict', message, details: { causes } })
}

/** Returns a 422: fields are invalid. `causes` has at least one entry. */
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

/** Returns a 422 for a patch that does not apply. */
export function unprocessablePatch(): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} })
}

/** Returns a 400. */
export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message })
}

/** Returns a 401. */
export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}

/** Returns a 403 for an object. */
export function forbidden(resource: ResourceIdentity, name: string, why: string): StatusError {
  const message = `${qualifiedName(resource.group, resource.plural)} "${name}" is forbidden: ${why}`
  return new StatusError({ code: 403, reason: 'Forbidden', message, details: details(resource, name) })
}

/** Returns a 403 for a request as a whole. Without a resource, the request is for a non-resource path. */
export function forbiddenRequest(resource: ResourceIdentity | undefined, name: string, why: string): StatusError {
  if (resource === undefined) {
    return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} })
  }
  const { group, plural } = resource
  const subject = `${qualifiedName(group, plural)}${name === '' ? '' : ` "${name}"`}`
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${why}`,
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
  })
}

const CODE_OF_REASON: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** Returns the error of a request that a policy denied, with the policy's reason. */
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

/** Body of the 404 for a path without a handler. */
export const PAGE_NOT_FOUND = '404 page not found\n'

/** Returns a 405. */
export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource'
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} })
}

/** Returns a 403: the CustomResourceDefinition of the resource is being deleted. */
export function definitionTerminating(resource: ResourceIdentity, name: string): StatusError {
  return forbidden(resource, name, 'create not allowed while custom resource definition is terminating')
}

/** Returns a 406. */
export function notAcceptable(accepted: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${accepted.join(', ')}`
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} })
}

/** Returns a 415 for a patch. */
export function unsupportedPatchType(): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  })
}

/** Returns a 415 for a body. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message })
}

/** Returns a 500 without reason and details: upstream's response to an error that is not a StatusError. */
export function untypedError(message: string): StatusError {
  return new StatusError({ code: 500, message })
}

/** Returns a 422 for query parameters. `kind` is the options object that upstream decodes them into. */
export function invalidOptions(kind: string, causes: readonly StatusCause[]): StatusError {
  return invalid({ group: 'meta.k8s.io', plural: '', kind }, '', causes)
}

/** Returns a 413. */
export function requestTooLarge(limitBytes: number): StatusError {
  const message = `Request entity too large: limit is ${limitBytes}`
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message })
}

/** Returns a 410: the required history was dropped. `token` allows the client to continue the list inconsistently. */
export function expired(message: string, token?: string): StatusError {
  const metadata = token === undefined ? {} : { metadata: { continue: token } }
  return new StatusError({ code: 410, reason: 'Expired', message, ...metadata })
}

/** Returns a 504: the requested resourceVersion is in the future. */
export function tooLargeResourceVersion(requested: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    },
  })
}

/** Returns a 429: a disruption budget does not allow the eviction. */
export function evictionDenied(cause: string): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: cause }] },
  })
}

/** Returns a 500. */
export function internalError(why: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  })
}

/** Returns a 403: the namespace is being deleted. */
export function namespaceTerminating(resource: ResourceIdentity, name: string, namespace: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  return forbidden(resource, name, why)
}
