import { z } from 'zod'

/** A rule that the API server checks in CEL, and the advertiser in TypeScript. */
export interface Rule<Value> {
  /** CEL expression over `self`. */
  readonly rule: string
  readonly holds: (value: Value) => boolean
  readonly message: string
}

/** Adds a rule to a schema: as a check of this process, and as `x-kubernetes-validations` of the definition. */
export function withRule<Schema extends z.ZodType>(
  schema: Schema,
  { rule, holds, message }: Rule<z.output<Schema>>,
): Schema {
  return schema.refine(holds, message).meta({ 'x-kubernetes-validations': [{ rule, message }] })
}

/** Returns the schema of a map with an upper bound of its entries and of the length of its keys. */
export function boundedMap<Value extends z.ZodType>(
  value: Value,
  {
    maxEntries,
    maxKeyLength,
    key,
  }: { readonly maxEntries: number; readonly maxKeyLength: number; readonly key: string },
): z.ZodRecord<z.ZodString, Value> {
  const map = z
    .record(z.string(), value)
    .refine((entries) => Object.keys(entries).length <= maxEntries, `expected at most ${maxEntries} entries`)
  return withRule(map, {
    rule: `self.all(key, size(key) <= ${maxKeyLength})`,
    holds: (entries) => Object.keys(entries).every((name) => name.length <= maxKeyLength),
    message: `${key} has at most ${maxKeyLength} characters`,
  }).meta({ maxProperties: maxEntries })
}
