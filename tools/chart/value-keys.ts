import { isRecord } from '@berth/types'

/** The part of a JSON schema that the table of chart values is generated from. */
export interface ValueSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, ValueSchema>>
}

/** One key of values.yaml: a row of the table of chart values. */
export interface ValueKey {
  /** Dotted path, for example `extender.tls.mode`. */
  readonly path: string
  /** JSON of the value in values.yaml. Empty when values.yaml has no value, and for a key that has keys of its own. */
  readonly defaultJson: string
  readonly description: string
}

/** Keys whose content the table omits: docs/config.md describes the configuration of the apps. */
const opaqueKeys = new Set(['config', 'global'])

/** Returns the keys of values.yaml in the order of the schema, with each object before its keys. */
export function valueKeys(schema: ValueSchema, values: unknown, pathPrefix = ''): readonly ValueKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const value = isRecord(values) && Object.hasOwn(values, key) ? values[key] : undefined
    const path = `${pathPrefix}${key}`
    // The keys of Kubernetes' own types have no descriptions and are not listed.
    const hasDescribedKeys = Object.values(inner.properties ?? {}).some(({ description }) => description !== undefined)
    const isExpanded = hasDescribedKeys && !opaqueKeys.has(key)
    const defaultJson = isExpanded || value === undefined ? '' : JSON.stringify(value)
    const own = { path, defaultJson, description: inner.description ?? '' }
    return [own, ...(isExpanded ? valueKeys(inner, value, `${path}.`) : [])]
  })
}
