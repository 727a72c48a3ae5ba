import type { Environment } from '@marcbachmann/cel-js'
import type { StructuralSchema } from '../structural/structural-schema.ts'
import { escapeName } from './to-cel.ts'

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['integer', 'int'],
  ['number', 'double'],
  ['boolean', 'bool'],
])
// String formats that upstream gives other types. Those that stay strings here are `dyn`, which passes every type check.
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['date-time', 'google.protobuf.Timestamp'],
  ['date', 'dyn'],
  ['duration', 'dyn'],
  ['byte', 'dyn'],
])

/**
 * Declares the type of a schema and of all its nested schemas.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/model (v0.36)
 * @returns The name of the type.
 */
export function declareType(environment: Environment, schema: StructuralSchema, isRoot = false): string {
  let count = 0
  const declareObject = (fields: Readonly<Record<string, string>>): string => {
    const name = `Object${++count}`
    environment.registerType(name, { fields })
    environment.registerOperator(`${name} == ${name}`, () => true)
    return name
  }

  function typeOf(each: StructuralSchema, hasMetadata: boolean): string {
    if (each.isIntOrString) return 'dyn'
    if (each.type === 'string') return FORMATS.get(each.source['format']) ?? 'string'
    const scalar = SCALARS.get(each.type)
    if (scalar !== undefined) return scalar
    if (each.type === 'array') return `list<${each.items === undefined ? 'dyn' : typeOf(each.items, false)}>`
    if (each.type !== 'object') return 'dyn'
    if (each.additionalProperties !== undefined) return `map<string, ${typeOf(each.additionalProperties, false)}>`
    const isTyped = hasMetadata || each.isEmbeddedResource
    // Upstream has no type for an object without properties that preserves unknown fields; `dyn` allows comparing it.
    if (each.properties.size === 0 && !isTyped) return each.preservesUnknownFields ? 'dyn' : 'map<string, dyn>'
    const fields = new Map([...each.properties].map(([key, inner]) => [escapeName(key), typeOf(inner, false)]))
    if (isTyped) {
      fields.set('apiVersion', 'string').set('kind', 'string')
      fields.set('metadata', declareObject({ name: 'string', generateName: 'string' }))
    }
    return declareObject(Object.fromEntries(fields))
  }

  return typeOf(schema, isRoot)
}
