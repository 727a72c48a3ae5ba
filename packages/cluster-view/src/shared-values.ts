/** Makes equal parts of many objects one value, so that the pods of one controller need little memory. */
export interface SharedValues {
  /** Returns a shallow copy of an object that is kept for long, which takes as little memory as V8 allows. */
  compact<T extends object>(value: T): T
  /** Returns an equal string, the same one for equal strings as long as it is used often. */
  text(value: string): string
  /** Returns a deeply equal, frozen value, the same one for values with equal JSON as long as it is used often. */
  part<T>(value: T): T
}

/** Returns each value as it is. */
export const notShared: SharedValues = { compact: (value) => value, text: (value) => value, part: (value) => value }

/** Values that one generation of a pool holds. */
const GENERATION_SIZE = 8_192
/** Longer values are rarely equal, and their JSON would cost more than it saves. */
const MAX_JSON_LENGTH = 4_096

/** Objects have few different sets of fields. Those of further sets are not copied. */
const MAX_TEMPLATES = 1_024

/** Creates empty pools. They hold a bounded number of values, and forget those that were not used for the longest time. */
export function createSharedValues(): SharedValues {
  const texts = createPool<string>()
  const parts = createPool<unknown>()
  const templates = new Map<string, object>()
  const templateOf = (keys: readonly string[]): object | undefined => {
    const id = keys.join('\0')
    const known = templates.get(id)
    if (known !== undefined || templates.size === MAX_TEMPLATES) return known
    // A parsed object has exactly the room for its fields, and so has its copy. One that is built field by field has spare
    // room, and keeps its later fields in a second object.
    const template = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:null`).join(',')}}`) as object
    templates.set(id, template)
    return template
  }
  return {
    compact<T extends object>(value: T): T {
      const keys = Object.keys(value)
      const template = templateOf(keys)
      if (template === undefined) return value
      const copy: Record<string, unknown> = { ...template }
      for (const key of keys) copy[key] = value[key as keyof T]
      return copy as T
    },
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
