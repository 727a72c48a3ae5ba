import type { ApiObject } from './api-object.ts'

/** Answers the JSON text of an object version. */
export type JsonCache = (object: ApiObject) => string

/** Characters that are kept: those of some ten thousand pods. */
const MAX_CHARACTERS = 16 * 1024 * 1024

/**
 * Serialises each object version once while it is news, however many lists and watches carry it. Versions never change,
 * so that a text stays true; the oldest texts go when there are too many.
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
