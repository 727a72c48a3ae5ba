import { isObject, type JsonObject } from '../../schema/json/json-object.ts'
import { schemaUnder, type StructuralSchema } from '../../schema/structural/structural-schema.ts'

/**
 * Returns the value with the schema's defaults for missing fields, and without nulls that the schema does not allow.
 * Returns the same value if nothing changes.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/defaulting (v0.36)
 */
export function fillDefaults<T>(value: T, schema: StructuralSchema): T {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? value
      : (reuseIfEqual(
          value,
          value.map((item) => filledItem(item, items)),
        ) as T)
  }
  return isObject(value) ? (filledObject(value, schema) as T) : value
}

function filledItem(item: unknown, schema: StructuralSchema): unknown {
  return fillDefaults(item === null && !schema.isNullable && schema.hasDefault ? schema.default : item, schema)
}

function filledObject(value: JsonObject, schema: StructuralSchema): JsonObject {
  const result: Record<string, unknown> = {}
  let isChanged = false
  for (const [key, inner] of Object.entries(value)) {
    const known = schemaUnder(schema, key)
    if (inner === null && known !== undefined && !known.isNullable) {
      isChanged = true
      if (known.hasDefault) result[key] = fillDefaults(known.default, known)
      continue
    }
    const filled = known === undefined ? inner : fillDefaults(inner, known)
    if (filled !== inner) isChanged = true
    result[key] = filled
  }
  for (const [key, known] of schema.properties) {
    if (!known.hasDefault || Object.hasOwn(value, key)) continue
    isChanged = true
    result[key] = fillDefaults(known.default, known)
  }
  return isChanged ? result : value
}

function reuseIfEqual(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, i) => item === before[i]) ? before : after
}
