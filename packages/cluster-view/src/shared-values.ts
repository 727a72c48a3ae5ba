/** Makes equal parts of many objects one value, so that the pods of one controller need little memory. */
export interface SharedValues {
  /** Returns an equal string, the same one for equal strings as long as it is used often. */
  text(value: string): string
  /** Returns a deeply equal, frozen value, the same one for values with equal JSON as long as it is used often. */
  part<T>(value: T): T
}

/** Returns each value as it is. */
export const notShared: SharedValues = { text: (value) => value, part: (value) => value }

/** Values that one generation of a pool holds. */
const GENERATION_SIZE = 8_192
/** Longer values are rarely equal, and their JSON would cost more than it saves. */
const MAX_JSON_LENGTH = 4_096

/** Creates empty pools. They hold a bounded number of values, and forget those that were not used for the longest time. */
export function createSharedValues(): SharedValues {
  const texts = createPool<string>()
  const parts = createPool<unknown>()
  return {
    text: (value) => texts.obtain(value, () => value),
    part<T>(value: T): T {
      const json = JSON.stringify(value)
      if (json.length > MAX_JSON_LENGTH) return value
      return parts.obtain(json, () => freezeDeep(value)) as T
    },
  }
}

interface Pool<V> {
  /** Returns the value of the key, and creates it if there is none. */
  obtain(key: string, create: () => V): V
}

/** Two generations: when the younger is full, it replaces the older. */
function createPool<V>(): Pool<V> {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  return {
    obtain(key, create) {
      const known = young.get(key)
      if (known !== undefined) return known
      const value = old.get(key) ?? create()
      if (young.size === GENERATION_SIZE) {
        old = young
        young = new Map()
      }
      young.set(key, value)
      return value
    },
  }
}

/** A plugin that changed a shared value would change other pods, so it gets an error. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const child of Object.values(value)) freezeDeep(child)
  return Object.freeze(value)
}
