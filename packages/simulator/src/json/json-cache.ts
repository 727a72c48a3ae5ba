import type { ApiObject } from './api-object.ts'

/** Answers the JSON text of an object version. */
export type JsonCache = (object: ApiObject) => string

/**
 * Serialises each object version once, however many lists and watches carry it. Versions never change, so that the text
 * stays true; it goes when the version goes.
 */
export function createJsonCache(): JsonCache {
  const texts = new WeakMap<object, string>()
  return (object) => {
    let text = texts.get(object)
    if (text === undefined) {
      text = JSON.stringify(object)
      texts.set(object, text)
    }
    return text
  }
}
