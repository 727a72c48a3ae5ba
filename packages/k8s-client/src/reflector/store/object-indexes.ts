/** Under which keys an object is found; none means that it is left out. */
export type IndexKeys<T> = (object: T) => readonly string[]

/** Several ways to find stored objects besides their own key. */
export interface ObjectIndexes<T> {
  /** Files a new or changed object. */
  put(key: string, object: T): void
  drop(key: string): void
  /**
   * Store keys of the objects under `value`, oldest first; empty where there are none.
   *
   * @throws RangeError when there is no index of that name
   */
  find(name: string, value: string): Iterable<string>
}

/** Which objects are under a value, and under which values an object is. */
interface Index<T> {
  readonly keysOf: IndexKeys<T>
  readonly byValue: Map<string, Set<string>>
  readonly byObject: Map<string, readonly string[]>
}

/**
 * Makes empty indexes.
 *
 * @param definitions - By name.
 * @param guarded - Runs a function of a definition for the object of a key; what it throws must not get out. Such an
 *   object is left out.
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
