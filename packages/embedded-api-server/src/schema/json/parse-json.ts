import { isObject } from './json-object.ts'

/** Maximum size of a request body: upstream's limit for resource requests (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024

/**
 * Parses JSON from the network. Drops keys named `__proto__`, so that a later object spread or assignment cannot change a
 * prototype.
 *
 * @throws SyntaxError when the text is not JSON.
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
