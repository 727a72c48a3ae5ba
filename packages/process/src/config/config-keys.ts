import type { z } from 'zod'
import type { ConfigDefinition } from './define-config.ts'
import { envSuffix, flagName } from './flag-name.ts'
import { alternatives, jsonSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** One key of an object schema, possibly nested. */
export interface SchemaKey {
  /** `resources[].units`; `labels.*` for the values of a map. */
  readonly path: string
  /** `integer`, `list of object`, `"a" | "b"`. */
  readonly type: string
  /** Default value as JSON; absent when there is none. */
  readonly default?: string
  /** Whether the key must be given when its parent is given. */
  readonly isRequired: boolean
  /** Empty when the schema has no description. */
  readonly description: string
}

/** One key of a configuration, possibly nested. */
export interface ConfigKey extends SchemaKey {
  /** `--resources`; only top-level keys have one. */
  readonly flag?: string
  /** `BERTH_ADVERTISER_RESOURCES`; only top-level keys have one. */
  readonly env?: string
}

/** Lists the keys of a configuration in schema order, outer before inner, as help and docs/config.md show them. */
export function configKeys({ fullSchema, envPrefix }: ConfigDefinition): readonly ConfigKey[] {
  return schemaKeys(fullSchema).map((entry) =>
    Object.hasOwn(fullSchema.shape, entry.path)
      ? { ...entry, flag: `--${flagName(entry.path)}`, env: `${envPrefix}${envSuffix(entry.path)}` }
      : entry,
  )
}

/** Lists the keys of an object schema in its order, outer before inner. Empty for other schemas. */
export function schemaKeys(schema: z.ZodType): readonly SchemaKey[] {
  const root = jsonSchema(schema)
  return Object.entries(root.properties ?? {}).flatMap(([key, inner]) =>
    keysOf(inner, key, isRequired(root, key, inner)),
  )
}

function keysOf(schema: JsonSchema, path: string, isRequired: boolean): readonly SchemaKey[] {
  const fallback = schema.default === undefined ? {} : { default: JSON.stringify(schema.default) }
  return [
    { path, type: typeText(schema), ...fallback, isRequired, description: schema.description ?? '' },
    ...alternatives(schema).flatMap((alternative) => innerKeys(alternative, path)),
  ]
}

function innerKeys(schema: JsonSchema, path: string): readonly SchemaKey[] {
  if (schema.items !== undefined) return inside(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') return inside(schema.additionalProperties, `${path}.*`)
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    keysOf(inner, `${path}.${key}`, isRequired(schema, key, inner)),
  )
}

// A list of objects is shown by the keys of the objects. For a list of words the type says everything.
function inside(schema: JsonSchema, path: string): readonly SchemaKey[] {
  return alternatives(schema).flatMap((alternative) => innerKeys(alternative, path))
}

function isRequired(above: JsonSchema, key: string, schema: JsonSchema): boolean {
  return above.required?.includes(key) === true && schema.default === undefined
}

function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = alternatives(schema)
  if (choices.length > 1 || choices[0] !== schema)
    return [...new Set(choices.map((choice) => typeText(choice)))].join(' | ')
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`
  if (typeof schema.additionalProperties === 'object') return `map of ${typeText(schema.additionalProperties)}`
  return typeof schema.type === 'string' ? schema.type : 'any'
}
