import { isMap, isScalar, isSeq, parseDocument, type ParsedNode } from 'yaml'
import { isObject } from './json-object.ts'

/**
 * Returns the path of each field that occurs more than once in an object of a JSON text. `JSON.parse` silently keeps the
 * last one.
 *
 * @param value - The parsed text.
 */
export function duplicateFields(text: string, value: unknown): readonly string[] {
  // Fast path: a key is a string before a colon. If the text has as many keys as the value, none was lost.
  let keys = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g)) if (token.endsWith(':')) keys++
  if (keys === countKeys(value)) return []
  const found = new Set<string>()
  const { contents } = parseDocument(text, { uniqueKeys: false, schema: 'json' })
  if (contents !== null) collectDuplicates(contents, '', found)
  return [...found]
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + countKeys(inner), 0)
}

function collectDuplicates(node: ParsedNode, path: string, found: Set<string>): void {
  if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) collectDuplicates(item, `${path}[${i}]`, found)
  }
  if (!isMap(node)) return
  const seen = new Set<string>()
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const at = path === '' ? name : `${path}.${name}`
    if (seen.has(name)) found.add(at)
    seen.add(name)
    if (value !== null) collectDuplicates(value, at, found)
  }
}
