import { isObject } from './json-object.ts'

/** Largest request body the server reads, as upstream's limit for resource requests (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024

/**
 * Parses JSON from the network. Keys named `__proto__` are dropped: an object spread or assignment that comes later
 * must not give them meaning.
 *
 * @throws SyntaxError where the text is no JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return /__proto__|\\u00/i.test(text) ? withoutProto(value) : value
}

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key, withoutProto(inner)]),
  )
}
