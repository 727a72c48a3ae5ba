import { isObject, type JsonObject } from '../json/json-object.ts'
import { schemaUnder, type StructuralSchema } from './structural-schema.ts'

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** A custom resource without its unknown fields. */
export interface Pruned {
  readonly value: JsonObject
  /** Paths of the dropped fields, sorted by code unit. */
  readonly unknownFields: readonly string[]
}

/**
 * Drops the fields that a custom resource's schema does not have. Keeps apiVersion, kind and metadata of the root.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/pruning (v0.36)
 */
export function pruneUnknownFields(root: JsonObject, schema: StructuralSchema): Pruned {
  const unknownFields: string[] = []
  const value = pruneObject(root, { ...schema, isEmbeddedResource: true }, '', unknownFields)
  return { value, unknownFields: unknownFields.toSorted() }
}

function pruneValue(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
  unknownFields: string[],
): unknown {
  if (Array.isArray(value)) {
    const items = schema?.items
    if (schema?.preservesUnknownFields === true && items === undefined) return value
    return value.map((item, i) => pruneValue(item, items, `${path}[${i}]`, unknownFields))
  }
  return isObject(value) ? pruneObject(value, schema, path, unknownFields) : value
}

function pruneObject(
  value: JsonObject,
  schema: StructuralSchema | undefined,
  path: string,
  unknownFields: string[],
): JsonObject {
  const result: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    const fieldPath = path === '' ? key : `${path}.${key}`
    const known = schema === undefined ? undefined : schemaUnder(schema, key)
    if (schema?.isEmbeddedResource === true && TYPE_AND_METADATA.has(key)) result[key] = inner
    else if (known !== undefined) result[key] = pruneValue(inner, known, fieldPath, unknownFields)
    else if (schema?.preservesUnknownFields === true) result[key] = inner
    // `additionalProperties: true` has no schema for the value, so every field below the key is unknown.
    else if (schema?.allowsAdditionalProperties === true)
      result[key] = pruneValue(inner, undefined, fieldPath, unknownFields)
    else unknownFields.push(fieldPath)
  }
  return result
}
