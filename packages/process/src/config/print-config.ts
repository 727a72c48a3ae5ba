import { Document, isScalar } from 'yaml'
import type { ConfigSource } from './config-source.ts'

/** Options of {@link printConfig}. */
export interface PrintConfigOptions {
  readonly effective: Readonly<Record<string, unknown>>
  /** Values as the user wrote them, preferred because they can be read back. */
  readonly given: Readonly<Record<string, unknown>>
  readonly sources: ReadonlyMap<string, ConfigSource>
}

/** Renders the effective configuration as YAML that --config accepts, with the source of each key. */
export function printConfig({ effective, given, sources }: PrintConfigOptions): string {
  const values = Object.fromEntries(
    Object.entries(effective)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, Object.hasOwn(given, key) ? given[key] : value]),
  )
  const document = new Document(values)
  for (const pair of 'items' in (document.contents ?? {}) ? (document.contents as { items: unknown[] }).items : []) {
    const { key } = pair as { key: unknown }
    if (isScalar(key)) key.commentBefore = ` ${sources.get(String(key.value)) ?? 'default'}`
  }
  return String(document)
}
