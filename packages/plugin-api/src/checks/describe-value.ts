const MAX_LENGTH = 80

/** Describes a value that a plugin returned, for an error message. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return shortened(JSON.stringify(value))
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (isThenable(value)) return 'a promise'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  const keys = Object.keys(value)
  return keys.length === 0 ? 'an object without keys' : shortened(`an object with the keys ${keys.join(', ')}`)
}

/** Returns whether a value has a `then` method, as promises of every library do. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false
  return typeof (value as { readonly then?: unknown }).then === 'function'
}

function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`
}
