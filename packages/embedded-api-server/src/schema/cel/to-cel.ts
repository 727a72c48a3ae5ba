import { isObject } from '../json/json-object.ts'
import { schemaUnder, type StructuralSchema } from '../structural/structural-schema.ts'

/** Converts JSON without a schema to CEL values: whole numbers become integers. */
export function jsonToCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(jsonToCel)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, jsonToCel(inner)]))
}

/** Converts JSON to CEL values by its schema: times and numbers get their types, reserved property names are escaped. */
export function valueToCel(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (schema === undefined) return jsonToCel(value)
  if (typeof value === 'number') {
    return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value)
  }
  if (typeof value === 'string') {
    return schema.source['format'] === 'date-time' && schema.type === 'string' ? new Date(value) : value
  }
  if (Array.isArray(value)) return value.map((item) => valueToCel(item, schema.items))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      schema.properties.has(key) ? escapeName(key) : key,
      valueToCel(inner, schemaUnder(schema, key)),
    ]),
  )
}

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/**
 * Escapes a property name for use in expressions.
 *
 * @see k8s.io/apiserver pkg/cel/escaping.go (v0.36)
 */
export function escapeName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}
