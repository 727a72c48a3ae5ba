/** Values that one generation holds. */
const GENERATION_SIZE = 8_192

/** Keeps one value for each key, so that equal values of many owners are one in memory. */
export interface Pool<V> {
  /** Returns the value of the key, and creates it if there is none. */
  obtain(key: string, create: () => V): V
}

/**
 * Creates an empty pool. It holds at most 16,384 values, and forgets those that were not obtained for the longest time; their owners
 * keep them.
 */
export function createPool<V>(): Pool<V> {
  // Two generations: when the younger is full, it replaces the older.
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
