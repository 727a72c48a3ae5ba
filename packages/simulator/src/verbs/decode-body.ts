import type { ApiObject } from '../json/api-object.ts'
import { isObject, stringAt, type JsonObject } from '../json/json-object.ts'
import { apiVersionOf } from '../kinds/resource-kind.ts'
import { badRequest } from '../refusal/refusals.ts'
import { decode, DecodeError } from '../schema/decode.ts'
import type { ResourceRequest } from '../server/resource-request.ts'

/** An object that a client sent, understood, with the warnings to send back. */
export interface SentObject {
  readonly object: ApiObject
  readonly warnings: readonly string[]
  /** Paths that the type does not have. */
  readonly unknownFields: readonly string[]
}

/**
 * Reads JSON as an object of the request's kind. Unknown fields are dropped, refused or warned about as the
 * `fieldValidation` parameter says.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) where it is no such object.
 */
export function decodeSent(request: ResourceRequest, value: JsonObject): SentObject {
  const { kind } = request
  const apiVersion = apiVersionOf(kind)
  const given = { apiVersion: stringAt(value, 'apiVersion') || apiVersion, kind: stringAt(value, 'kind') || kind.kind }
  if (given.kind !== kind.kind) {
    throw badRequest(
      `${given.kind} in version "${given.apiVersion}" cannot be handled as a ${kind.kind}: converting (v1.${given.kind}) to (core.${kind.kind}): unknown conversion`,
    )
  }
  if (given.apiVersion !== apiVersion) {
    throw badRequest(
      `${given.kind} in version "${given.apiVersion}" cannot be handled as a ${kind.kind}: no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const cannot = (why: string): Error =>
    badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`)
  try {
    const { value: decoded, unknownFields } = decode(kind.typeName, value)
    const unknown = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`)
    const validation = request.query.get('fieldValidation') || 'Warn'
    if (validation === 'Strict' && unknown.length > 0) throw cannot(`strict decoding error: ${unknown.join(', ')}`)
    const metadata = isObject(decoded['metadata']) ? withoutEmpty(decoded['metadata']) : {}
    return {
      object: { ...given, ...decoded, ...given, metadata },
      warnings: validation === 'Ignore' ? [] : unknown,
      unknownFields,
    }
  } catch (error) {
    throw error instanceof DecodeError ? cannot(error.message) : error
  }
}

// Go's omitempty: maps and lists of metadata that hold nothing are not there.
function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(
      ([key, value]) =>
        // Upstream stopped keeping where an object lies.
        key !== 'selfLink' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  )
}

/** The Warning headers of an answer. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {}
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') }
}
