/** A JSON schema as data. */
export type SchemaNode = { readonly [key: string]: unknown }

/**
 * Converts a schema for Helm, which evaluates patterns with Go's regular expressions. A pattern with lookaround or back
 * references is omitted, because Go has neither; the app still checks it. The `args` of a device plugin resource are
 * validated with the schema of the `source` that the resource names.
 *
 * @param argsBySource - Schema of the arguments of each built-in source, by the name of the source.
 */
export function helmSchema(schema: SchemaNode, argsBySource: Readonly<Record<string, SchemaNode>>): SchemaNode {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'pattern' && typeof value === 'string' && /\(\?[=!<]|\\\d/.test(value)) return []
    return [[key, convert(value, argsBySource)]]
  })
  const node = Object.fromEntries(entries)
  const { properties } = node
  if (!isNode(properties) || !isNode(properties['source']) || !isNode(properties['args'])) return node
  if (!Object.hasOwn(properties['args'], 'anyOf')) return node
  const { anyOf: _, ...args } = properties['args']
  const conditions = Object.entries(argsBySource).map(([source, own]) => ({
    if: { properties: { source: { const: source } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON schema
    then: { properties: { args: helmSchema(own, {}) }, ...(Array.isArray(own['required']) && { required: ['args'] }) },
  }))
  return { ...node, properties: { ...properties, args }, allOf: conditions }
}

function convert(value: unknown, argsBySource: Readonly<Record<string, SchemaNode>>): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, argsBySource))
  return isNode(value) ? helmSchema(value, argsBySource) : value
}

/** Returns whether a part of a schema is a schema itself. */
export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
