import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, stringAt, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import { apiVersionOf, type ResourceKind } from '../kinds/resource-kind.ts'
import { badRequest } from '../../schema/status/api-errors.ts'
import { decode, DecodeError } from '../../schema/decode.ts'
import type { ResourceRequest } from './resource-request.ts'
import { decodeCustom } from './decode-custom.ts'

/** An object from a request body, with the warnings for the response. */
export interface DecodedObject {
  readonly object: ApiObject
  readonly warnings: readonly string[]
  /** Paths of fields that the type does not have. */
  readonly unknownFields: readonly string[]
}

/**
 * Decodes JSON as an object of the request's kind. Unknown fields are dropped, and refused or warned about as the
 * `fieldValidation` parameter says.
 *
 * @param duplicates - Fields that the JSON contains more than once. The last value counts.
 * @throws BERTH_SIMULATOR_REFUSED (400) if it is not an object of this kind.
 */
export function decodeObject(
  request: ResourceRequest,
  value: JsonObject,
  duplicates: readonly string[] = [],
): DecodedObject {
  const { kind } = request
  if (kind.custom !== undefined) {
    warnAboutOtherVersion(request, value)
    const { object, unknownFields } = decodeCustom(kind, kind.custom.schema, value)
    const metadata = withEmptyManagedFields(value, withoutEmptyFields(object.metadata as unknown as JsonObject))
    return { ...applyFieldValidation(request, unknownFields, duplicates), object: { ...object, metadata } }
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
    const metadata = isObject(decoded['metadata'])
      ? withEmptyManagedFields(value, withoutEmptyFields(decoded['metadata']))
      : {}
    return {
      ...applyFieldValidation(request, unknownFields, duplicates),
      object: { ...given, ...decoded, ...given, metadata },
    }
  } catch (error) {
    throw error instanceof DecodeError ? cannotHandle(kind, error.message) : error
  }
}

// As upstream: in an object of another version, every field except the common ones is unknown.
function warnAboutOtherVersion({ kind, query, warn }: ResourceRequest, value: JsonObject): void {
  const given = stringAt(value, 'apiVersion')
  if (given === '' || given === apiVersionOf(kind) || query.get('fieldValidation') === 'Ignore') return
  for (const key of Object.keys(value).toSorted()) {
    if (!['apiVersion', 'kind', 'metadata'].includes(key)) warn?.(`unknown field ${JSON.stringify(key)}`)
  }
}

function cannotHandle({ kind, version }: ResourceKind, why: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`)
}

// Refuses unknown and duplicate fields, or returns warnings about them, as `fieldValidation` says.
function applyFieldValidation(
  { kind, query }: ResourceRequest,
  unknownFields: readonly string[],
  duplicates: readonly string[],
): Pick<DecodedObject, 'warnings' | 'unknownFields'> {
  const sentences = [
    ...duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`),
    ...unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`),
  ]
  const validation = query.get('fieldValidation') || 'Warn'
  if (validation === 'Strict' && sentences.length > 0) {
    throw cannotHandle(kind, `strict decoding error: ${sentences.join(', ')}`)
  }
  return { warnings: validation === 'Ignore' ? [] : sentences, unknownFields }
}

// Go's omitempty: empty maps and lists of metadata are left out.
function withoutEmptyFields(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(
      ([key, value]) =>
        // Upstream no longer stores selfLink.
        key !== 'selfLink' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  )
}

// An empty list of managed fields is kept: it resets ownership, while a missing list keeps it.
function withEmptyManagedFields(sent: JsonObject, metadata: JsonObject): JsonObject {
  const entries = valueAt(sent, 'metadata', 'managedFields')
  return Array.isArray(entries) && entries.length === 0 ? { ...metadata, managedFields: [] } : metadata
}
