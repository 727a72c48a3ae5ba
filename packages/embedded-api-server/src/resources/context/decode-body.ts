import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, stringAt, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import { apiVersionOf, type ResourceKind } from '../kinds/resource-kind.ts'
import { badRequest } from '../../schema/status/api-errors.ts'
import { decode, DecodeError } from '../../schema/decode.ts'
import type { ResourceRequest } from './resource-request.ts'
import { decodeCustom } from './decode-custom.ts'

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
 * @param duplicates - Fields that were sent more than once; the last of each counts.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) where it is no such object.
 */
export function decodeSent(
  request: ResourceRequest,
  value: JsonObject,
  duplicates: readonly string[] = [],
): SentObject {
  const { kind } = request
  if (kind.custom !== undefined) {
    warnOfForeignFields(request, value)
    const { object, unknownFields } = decodeCustom(kind, kind.custom.schema, value)
    const metadata = withOwners(value, withoutEmpty(object.metadata as unknown as JsonObject))
    return { ...unknown(request, unknownFields, duplicates), object: { ...object, metadata } }
  }
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
  try {
    const { value: decoded, unknownFields } = decode(kind.type, value)
    const metadata = isObject(decoded['metadata']) ? withOwners(value, withoutEmpty(decoded['metadata'])) : {}
    return { ...unknown(request, unknownFields, duplicates), object: { ...given, ...decoded, ...given, metadata } }
  } catch (error) {
    throw error instanceof DecodeError ? cannot(kind, error.message) : error
  }
}

// An object of a version that is not known has no fields but those that all have.
function warnOfForeignFields({ kind, query, warn }: ResourceRequest, value: JsonObject): void {
  const given = stringAt(value, 'apiVersion')
  if (given === '' || given === apiVersionOf(kind) || query.get('fieldValidation') === 'Ignore') return
  for (const key of Object.keys(value).toSorted()) {
    if (!['apiVersion', 'kind', 'metadata'].includes(key)) warn?.(`unknown field ${JSON.stringify(key)}`)
  }
}

function cannot({ kind, version }: ResourceKind, why: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`)
}

// What the request wants to happen about fields that the type does not have.
function unknown(
  { kind, query }: ResourceRequest,
  unknownFields: readonly string[],
  duplicates: readonly string[],
): Pick<SentObject, 'warnings' | 'unknownFields'> {
  const sentences = [
    ...duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`),
    ...unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`),
  ]
  const validation = query.get('fieldValidation') || 'Warn'
  if (validation === 'Strict' && sentences.length > 0) {
    throw cannot(kind, `strict decoding error: ${sentences.join(', ')}`)
  }
  return { warnings: validation === 'Ignore' ? [] : sentences, unknownFields }
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

// To say that nobody owns anything is not the same as to say nothing of owners.
function withOwners(sent: JsonObject, metadata: JsonObject): JsonObject {
  const entries = valueAt(sent, 'metadata', 'managedFields')
  return Array.isArray(entries) && entries.length === 0 ? { ...metadata, managedFields: [] } : metadata
}
