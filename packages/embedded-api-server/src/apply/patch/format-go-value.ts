import { byCodeUnit, isObject } from '../../schema/json/json-object.ts'

/** Formats a JSON value as Go prints an `interface{}`: `map[a:1 b:[x y]]`. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const keys = Object.keys(value).toSorted(byCodeUnit)
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key])}`).join(' ')}]`
}
