import { z } from 'zod'

/** A rule that the API server checks in CEL, and the advertiser in TypeScript. */
export interface Rule<Value> {
  /** CEL expression over `self`. */
  readonly rule: string
  readonly holds: (value: Value) => boolean
  readonly message: string
}

/** Adds rules to a schema: as checks of this process, and as `x-kubernetes-validations` of the definition. */
export function withRules<Schema extends z.ZodType>(
  schema: Schema,
  ...rules: readonly Rule<z.output<Schema>>[]
): Schema {
  const checked = rules.reduce((each, { holds, message }) => each.refine(holds, message), schema)
  return checked.meta({ 'x-kubernetes-validations': rules.map(({ rule, message }) => ({ rule, message })) })
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
  return withRules(map, {
    rule: `self.all(key, size(key) <= ${maxKeyLength})`,
    holds: (entries) => Object.keys(entries).every((name) => name.length <= maxKeyLength),
    message: `${key} has at most ${maxKeyLength} characters`,
  }).meta({ maxProperties: maxEntries })
}
