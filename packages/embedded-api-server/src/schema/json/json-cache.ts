import type { ApiObject } from './api-object.ts'

/** Returns the JSON text of an object version. */
export type JsonCache = (object: ApiObject) => string

/** Maximum size of the cache in characters: enough for about ten thousand pods. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/**
 * Creates a cache that serializes each recent object version once for all lists and watches. Object versions never change,
 * so entries stay valid. The oldest entries are evicted when the cache is full.
 */
export function createJsonCache(): JsonCache {
  const texts = new Map<object, string>()
  let characters = 0
  return (object) => {
    const known = texts.get(object)
    if (known !== undefined) return known
    const text = JSON.stringify(object)
    texts.set(object, text)
    characters += text.length
    if (characters > MAX_CHARACTERS) {
      for (const [oldest, old] of texts) {
        texts.delete(oldest)
        characters -= old.length
        if (characters <= MAX_CHARACTERS / 2) break
      }
    }
    return text
  }
}
