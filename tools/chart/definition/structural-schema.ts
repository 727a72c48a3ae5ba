import { isNode, type SchemaNode } from '../helm-schema.ts'

/** Keywords that an API server accepts in a structural schema, and that the schemas of objects use. */
const KEYWORDS = new Set([
  'type',
  'description',
  'format',
  'default',
  'enum',
  'pattern',
  'not',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'anyOf',
])
/** Keywords of JSON Schema without a counterpart: an API server prunes unknown fields, and keys are strings. */
const DROPPED = new Set(['$schema', 'propertyNames'])

/**
 * Converts a JSON schema to the structural schema of a CustomResourceDefinition.
 *
 * @throws Error naming the path of a keyword that a structural schema cannot have, and of a string, list or map without
 * an upper bound.
 */
export function structuralSchema(schema: SchemaNode, path = ''): SchemaNode {
  const fault = (text: string): Error => new Error(`${path === '' ? 'the schema' : path} ${text}`)
  if (schema['x-kubernetes-int-or-string'] === true) {
    return {
      ...pick(schema, ['description', 'maxLength', 'x-kubernetes-int-or-string']),
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    }
  }
  const { type } = schema
  if (type === 'string' && schema['maxLength'] === undefined && schema['enum'] === undefined)
    throw fault('has no maxLength')
  if (type === 'array' && schema['maxItems'] === undefined) throw fault('has no maxItems')
  if (isNode(schema['additionalProperties']) && schema['maxProperties'] === undefined)
    throw fault('has no maxProperties')
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (DROPPED.has(key) || (key === 'additionalProperties' && value === false)) return []
    if (!KEYWORDS.has(key) && !key.startsWith('x-kubernetes-')) throw fault(`uses ${key}, which is not structural`)
    if (key === 'properties' && isNode(value))
      return [[key, mapNodes(value, (inner, name) => structuralSchema(inner, `${path}.${name}`))]]
    if (key === 'items' && isNode(value)) return [[key, structuralSchema(value, `${path}[]`)]]
    if (key === 'additionalProperties' && isNode(value)) return [[key, structuralSchema(value, `${path}.*`)]]
    return [[key, value]]
  })
  return Object.fromEntries(entries)
}

function mapNodes(nodes: SchemaNode, convert: (node: SchemaNode, name: string) => SchemaNode): SchemaNode {
  return Object.fromEntries(
    Object.entries(nodes).map(([name, node]) => [name, isNode(node) ? convert(node, name) : node]),
  )
}

function pick(node: SchemaNode, keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([key]) => keys.includes(key)))
}
