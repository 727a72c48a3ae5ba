/** Returns the keys under which an object is found; without keys it is not in the index. */
export type IndexKeys<T> = (object: T) => readonly string[]

/** Indexes that find stored objects by other keys than their own. */
export interface ObjectIndexes<T> {
  /** Adds a new or changed object. */
  put(key: string, object: T): void
  drop(key: string): void
  /**
   * Returns the store keys of the objects under `value`, oldest first; empty if there are none.
   *
   * @throws RangeError if there is no index with that name
   */
  find(name: string, value: string): Iterable<string>
}

/** One index, in both directions. */
interface Index<T> {
  readonly keysOf: IndexKeys<T>
  readonly byValue: Map<string, Set<string>>
  readonly byObject: Map<string, readonly string[]>
}

/**
 * Creates empty indexes.
 *
 * @param definitions - By name.
 * @param guarded - Runs the key function of a definition and must catch what it throws; the object is then not indexed.
 */
export function createIndexes<T>(
  definitions: Readonly<Record<string, IndexKeys<T>>>,
  guarded: (task: () => void, key: string) => void,
): ObjectIndexes<T> {
  const indexes = new Map<string, Index<T>>(
    Object.entries(definitions).map(([name, keysOf]) => [name, { keysOf, byValue: new Map(), byObject: new Map() }]),
  )
  const drop = (key: string): void => {
    for (const { byValue, byObject } of indexes.values()) {
      for (const value of byObject.get(key) ?? []) {
        const keys = byValue.get(value)
        keys?.delete(key)
        if (keys?.size === 0) byValue.delete(value)
      }
      byObject.delete(key)
    }
  }
  return {
    drop,
    put(key, object) {
      drop(key)
      for (const { keysOf, byValue, byObject } of indexes.values()) {
        let values: readonly string[] = []
        guarded(() => void (values = keysOf(object)), key)
        if (values.length > 0) byObject.set(key, values)
        for (const value of values) {
          const keys = byValue.get(value)
          if (keys === undefined) byValue.set(value, new Set([key]))
          else keys.add(key)
        }
      }
    },
    find(name, value) {
      const index = indexes.get(name)
      if (index === undefined) throw new RangeError(`there is no index "${name}"`)
      return index.byValue.get(value) ?? []
    },
  }
}
