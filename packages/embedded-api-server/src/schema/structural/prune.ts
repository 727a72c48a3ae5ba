import { isObject, type JsonObject } from '../json/json-object.ts'
import { schemaUnder, type StructuralSchema } from './structural-schema.ts'

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** An object without what its schema does not have. */
export interface Pruned {
  readonly value: JsonObject
  /** Paths of what was dropped, in order of code units. */
  readonly unknownFields: readonly string[]
}

/**
 * Drops the fields that a custom resource's schema does not have. The root's apiVersion, kind and metadata stay.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/pruning (v0.36)
 */
export function prune(root: JsonObject, schema: StructuralSchema): Pruned {
  const unknownFields: string[] = []
  const value = pruneObject(root, { ...schema, isEmbedded: true }, '', unknownFields)
  return { value, unknownFields: unknownFields.toSorted() }
}

function pruneValue(value: unknown, schema: StructuralSchema | undefined, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const items = schema?.items
    if (schema?.preservesUnknown === true && items === undefined) return value
    return value.map((item, i) => pruneValue(item, items, `${path}[${i}]`, unknown))
  }
  return isObject(value) ? pruneObject(value, schema, path, unknown) : value
}

function pruneObject(
  value: JsonObject,
  schema: StructuralSchema | undefined,
  path: string,
  unknown: string[],
): JsonObject {
  const result: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    const known = schema === undefined ? undefined : schemaUnder(schema, key)
    if (schema?.isEmbedded === true && TYPE_AND_METADATA.has(key)) result[key] = inner
    else if (known !== undefined) result[key] = pruneValue(inner, known, at, unknown)
    else if (schema?.preservesUnknown === true) result[key] = inner
    // Of `additionalProperties: true` nothing is known below the key.
    else if (schema?.hasAdditional === true) result[key] = pruneValue(inner, undefined, at, unknown)
    else unknown.push(at)
  }
  return result
}
