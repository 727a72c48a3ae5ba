import { isRecord as isObject } from '@berth/types'

/** A JSON object with unknown content, never changed in place once it is stored. Read untrusted keys with {@link own}. */
export type JsonObject = Readonly<Record<string, unknown>>

export { isObject }

/** Returns the value of the object's own `key`; undefined for inherited names such as `constructor`. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
}

/** Returns the value at a path of object keys; undefined when any step is absent. */
export function valueAt(root: unknown, ...path: readonly string[]): unknown {
  let value = root
  for (const key of path) value = own(value, key)
  return value
}

/** Returns the object at a path; an empty one when there is none. */
export function objectAt(root: unknown, ...path: readonly string[]): JsonObject {
  const value = valueAt(root, ...path)
  return isObject(value) ? value : EMPTY
}

/** Returns the list at a path; an empty one when there is none. */
export function listAt(root: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(root, ...path)
  return Array.isArray(value) ? value : []
}

/** Returns the string at a path; `''` when there is none, as Go's zero value. */
export function stringAt(root: unknown, ...path: readonly string[]): string {
  const value = valueAt(root, ...path)
  return typeof value === 'string' ? value : ''
}

/** Returns the number at a path; undefined when there is none. */
export function numberAt(root: unknown, ...path: readonly string[]): number | undefined {
  const value = valueAt(root, ...path)
  return typeof value === 'number' ? value : undefined
}

/** Returns a copy of `object` with `key` set, or without it when `value` is undefined. */
export function withField<T extends JsonObject>(object: T, key: string, value: unknown): T {
  if (value !== undefined) return { ...object, [key]: value }
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest as unknown as T
}

/** Returns a copy of `root` with the value at `path` set (undefined removes it). Creates missing objects on the path. */
export function withValueAt<T extends JsonObject>(root: T, path: readonly string[], value: unknown): T {
  const [key, ...rest] = path
  if (key === undefined) return root
  if (rest.length === 0) return withField(root, key, value)
  if (value === undefined && !isObject(own(root, key))) return root
  return withField(root, key, withValueAt(objectAt(root, key), rest, value))
}

/** Returns whether two JSON values are equal, ignoring the order of object keys. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
}

/** Compares strings by code unit, for sorting. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const EMPTY: JsonObject = Object.freeze({})
