import type { Environment } from '@marcbachmann/cel-js'
import type { StructuralSchema } from '../structural/structural-schema.ts'
import { escapedName } from './to-cel.ts'

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['integer', 'int'],
  ['number', 'double'],
  ['boolean', 'bool'],
])
// Texts that upstream gives other types; those that stay texts here are not held against any.
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['date-time', 'google.protobuf.Timestamp'],
  ['date', 'dyn'],
  ['duration', 'dyn'],
  ['byte', 'dyn'],
])

/**
 * Declares the type of a schema and of all schemas below it.
 *
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/model (v0.36)
 * @returns The name of the type.
 */
export function declareType(environment: Environment, schema: StructuralSchema, isRoot = false): string {
  let count = 0
  const declared = (fields: Readonly<Record<string, string>>): string => {
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
    const named = hasMetadata || each.isEmbeddedResource
    // What has no properties and is open cannot be spoken of, but compared.
    if (each.properties.size === 0 && !named) return each.preservesUnknownFields ? 'dyn' : 'map<string, dyn>'
    const fields = new Map([...each.properties].map(([key, inner]) => [escapedName(key), typeOf(inner, false)]))
    if (named) {
      fields.set('apiVersion', 'string').set('kind', 'string')
      fields.set('metadata', declared({ name: 'string', generateName: 'string' }))
    }
    return declared(Object.fromEntries(fields))
  }

  return typeOf(schema, isRoot)
}
