import { z } from 'zod'

/** The part of JSON Schema (2020-12) that zod writes for configuration schemas. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

const converted = new WeakMap<z.ZodType, JsonSchema>()

/** Returns a zod schema as data, from which help, documentation and the flags are derived. Converts each schema once. */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const known = converted.get(schema)
  if (known !== undefined) return known
  const data = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  converted.set(schema, data)
  return data
}

/** Returns the alternatives of a schema, or the schema itself when there are none. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const { type } = schema
  if (typeof type === 'object') return type.map((one) => ({ ...schema, type: one }))
  return schema.anyOf ?? schema.oneOf ?? [schema]
}

/**
 * Returns the known keys at a path of a document.
 *
 * @param path - Keys and indexes from the root, as zod reports them.
 * @returns Empty when the schema does not describe the path.
 */
export function keysAt(schema: JsonSchema, path: readonly PropertyKey[]): readonly string[] {
  let places: readonly JsonSchema[] = alternatives(schema)
  for (const step of path) {
    places = places.flatMap((place) => childrenAt(place, step)).flatMap((child) => alternatives(child))
  }
  return [...new Set(places.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function childrenAt(schema: JsonSchema, step: PropertyKey): readonly JsonSchema[] {
  if (typeof step === 'number') return schema.items === undefined ? [] : [schema.items]
  const key = String(step)
  const { properties = {}, additionalProperties } = schema
  if (Object.hasOwn(properties, key)) return [properties[key] ?? {}]
  return typeof additionalProperties === 'object' ? [additionalProperties] : []
}

/** Result of {@link parseByJsonSchema}. */
export type ParsedByJsonSchema =
  | { readonly kind: 'valid'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly problem: string }

/**
 * Checks a value against a JSON schema.
 *
 * @returns The value, or every mistake in one line of text.
 */
export function parseByJsonSchema(schema: JsonSchema, value: unknown): ParsedByJsonSchema {
  const parsed = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value)
  if (parsed.success) return { kind: 'valid', value: parsed.data }
  return { kind: 'invalid', problem: z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' ') }
}
