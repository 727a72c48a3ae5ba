/** Keeps one value for each key, so that many owners share one copy of equal values. */
export interface Pool<V> {
  /** Returns the value of the key, and creates it if there is none. */
  obtain(key: string, create: () => V): V
}

/** Bounds of a pool. They limit the memory of values that are no longer used. */
export interface PoolOptions {
  /** The pool holds at most twice as many values. */
  readonly generationSize: number
  /** Values with longer keys are not kept. */
  readonly maxKeyLength: number
}

/** Creates an empty pool. When it is full, it evicts the values that were not obtained for the longest time. Their owners keep them. */
export function createPool<V>({ generationSize, maxKeyLength }: PoolOptions): Pool<V> {
  // Two generations: when the younger is full, it replaces the older.
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  return {
    obtain(key, create) {
      if (key.length > maxKeyLength) return create()
      const known = young.get(key)
      if (known !== undefined) return known
      const value = old.get(key) ?? create()
      if (young.size === generationSize) {
        old = young
        young = new Map()
      }
      young.set(key, value)
      return value
    },
  }
}
