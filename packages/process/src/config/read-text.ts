import { parse } from 'yaml'
import { alternatives } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * Converts the texts of a flag or variable to the type of its schema: numbers, booleans, and JSON or YAML for lists and
 * objects. A text that does not look like the type stays text, so that the error of the schema names it. A repeated flag
 * extends a list: `--resource a --resource b`.
 *
 * @param texts - In the order given, at least one. The last one counts for a key that is not a list.
 */
export function readTexts(schema: JsonSchema, texts: readonly string[]): unknown {
  const types = new Set(alternatives(schema).map(({ type }) => type))
  const last = texts.at(-1) ?? ''
  if (types.has('array')) return readList(schema, texts)
  if (types.has('object')) return readDocument(last)
  return readScalar(types, last)
}

function readList(schema: JsonSchema, texts: readonly string[]): unknown {
  const items = alternatives(schema).find(({ type }) => type === 'array')?.items ?? {}
  return texts.flatMap((text) => {
    if (text.trimStart().startsWith('[')) {
      const list = readDocument(text)
      return Array.isArray(list) ? (list as readonly unknown[]) : [list]
    }
    return [readTexts(items, [text])]
  })
}

function readDocument(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}

function readScalar(types: ReadonlySet<JsonSchema['type']>, text: string): unknown {
  if ((types.has('number') || types.has('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text)
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
