import { createPool } from './pool.ts'

/** Interns equal parts of many objects, so that the pods of one controller need little memory. */
export interface SharedValues {
  /** Returns a shallow copy of an object that is kept for long, which takes as little memory as V8 allows. */
  compact<T extends object>(value: T): T
  /** Returns the pooled copy of the string; the string itself if it is long. A copy that is not used for a long time leaves the pool. */
  text(value: string): string
  /**
   * Returns the pooled, deeply frozen copy of a value with equal JSON. Returns the value itself, not frozen, when its
   * JSON is long.
   */
  part<T>(value: T): T
}

/** Interns nothing: returns each value as it is. */
export const notShared: SharedValues = { compact: (value) => value, text: (value) => value, part: (value) => value }

/** Values that one generation of a pool holds. */
const GENERATION_SIZE = 8_192
/** Longer values are rarely equal, and their JSON would cost more than it saves. */
const MAX_JSON_LENGTH = 4_096
/** Messages of other programs may be long, and the pool keeps a string for some time when its objects are gone. */
const MAX_TEXT_LENGTH = 1_024

/**
 * Maximum number of field sets with a template. Objects with further sets of fields, which are rare, are not copied.
 */
const MAX_TEMPLATES = 1_024

/**
 * Creates empty pools. Each holds a bounded number of values and evicts those that were not used for the longest time.
 */
export function createSharedValues(): SharedValues {
  const texts = createPool<string>({ generationSize: GENERATION_SIZE, maxKeyLength: MAX_TEXT_LENGTH })
  const parts = createPool<unknown>({ generationSize: GENERATION_SIZE, maxKeyLength: MAX_JSON_LENGTH })
  const templates = new Map<string, object>()
  const templateOf = (keys: readonly string[]): object | undefined => {
    const id = keys.join('\0')
    const known = templates.get(id)
    if (known !== undefined || templates.size === MAX_TEMPLATES) return known
    // V8 allocates exactly the fields of a parsed object, and of its copies. An object that is built field by field
    // gets spare slots, and its later fields go to a second backing store.
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

/** Freezes a shared value, so that a plugin that tries to change it gets an error instead of changing other pods. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const child of Object.values(value)) freezeDeep(child)
  return Object.freeze(value)
}
