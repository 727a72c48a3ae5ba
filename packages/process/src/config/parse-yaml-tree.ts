import { firstLine } from '@berth/text/first-line'
import { parseDocument } from 'yaml'

/** No configuration is nested nearly as deep. Code that walks through one may be recursive. */
const MAX_DEPTH = 100
const MAX_ALIASES = 100

/**
 * Parses one YAML (or JSON) document to a tree of plain values.
 *
 * @returns Null or undefined for an empty document.
 * @throws Error with a reason in one line: a mistake of syntax, an alias without an anchor, aliases that multiply, or values
 *   that contain themselves or are nested deeper than 100 levels.
 */
export function parseYamlTree(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true })
  const [fault] = document.errors
  if (fault !== undefined) throw new Error(firstLine(fault.message).replace(/:$/, ''))
  const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
  if (isDeeper(content, MAX_DEPTH))
    throw new Error(`a value contains itself, or is nested deeper than ${MAX_DEPTH} levels`)
  return content
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
