import { isRecord } from '@berth/types'

/** The part of a JSON schema that the table of values is made from. */
export interface ValueSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, ValueSchema>>
}

/** One key of values.yaml. */
export interface ValueKey {
  /** `extender.tls.mode`. */
  readonly path: string
  /** JSON of what values.yaml has; empty where it has nothing. */
  readonly fallback: string
  readonly description: string
}

/** Below these the table ends: docs/config.md has what stands in the configuration of an app. */
const closed = new Set(['config', 'global'])

/** The keys of values.yaml in the order of the schema, each object's own line before its keys. */
export function valueKeys(schema: ValueSchema, values: unknown, above = ''): readonly ValueKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const value = isRecord(values) && Object.hasOwn(values, key) ? values[key] : undefined
    const path = `${above}${key}`
    // The keys of Kubernetes' own objects are not described.
    const isDescribed = Object.values(inner.properties ?? {}).some(({ description }) => description !== undefined)
    const isOpen = isDescribed && !closed.has(key)
    const fallback = isOpen || value === undefined ? '' : JSON.stringify(value)
    const own = { path, fallback, description: inner.description ?? '' }
    return [own, ...(isOpen ? valueKeys(inner, value, `${path}.`) : [])]
  })
}
