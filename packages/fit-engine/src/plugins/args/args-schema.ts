/**
 * JSON Schema (draft 2020-12) of plugin arguments, reduced to the keywords that the plugins use. It is plain data, so
 * that each app can validate arguments with a library of its choice, and documentation can be generated from it.
 */
export type ArgsSchema = (
  | { readonly type: 'boolean' }
  | {
      readonly type: 'integer'
      readonly minimum?: number
      readonly maximum?: number
      readonly exclusiveMinimum?: number
    }
  | { readonly type: 'string'; readonly minLength?: number; readonly enum?: readonly string[] }
  | { readonly type: 'array'; readonly items: ArgsSchema; readonly minItems?: number }
  | ObjectSchema
) & { readonly description?: string }

/** JSON Schema of an object that refuses unknown keys. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly description?: string
  readonly properties: Readonly<Record<string, ArgsSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties: false
}

/** Returns the schema of an object with these keys and no others. */
export function objectSchema(
  properties: ObjectSchema['properties'],
  options: { readonly required?: readonly string[]; readonly description?: string } = {},
): ObjectSchema {
  return { type: 'object', properties, additionalProperties: false, ...options }
}

/**
 * Returns the schema of a plugin's arguments: its own keys, and the kind and version that upstream lets users write.
 */
export function pluginArgsSchema(properties: ObjectSchema['properties']): ObjectSchema {
  return objectSchema({
    apiVersion: { type: 'string', description: 'API version of the arguments; not read.' },
    kind: { type: 'string', description: 'Kind of the arguments; not read.' },
    ...properties,
  })
}
