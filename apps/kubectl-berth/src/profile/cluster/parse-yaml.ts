import { parse } from 'yaml'

/** Parses YAML or JSON from a cluster; undefined when it is neither. Bounds aliases, which could otherwise grow without limit. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch {
    return undefined
  }
}
