import { StatusCode } from '@berth/types'

/** Returns whether a value is a code of `StatusCode` with at least one reason that is not empty. */
export function isRejection(
  value: unknown,
): value is { readonly code: StatusCode; readonly reasons: readonly string[] } {
  if (typeof value !== 'object' || value === null) return false
  const { code, reasons } = value as { readonly code?: unknown; readonly reasons?: unknown }
  return Object.values(StatusCode).some((known) => known === code) && areReasons(reasons)
}

/** Returns whether a value is a list of at least one reason, each a text that is not empty. */
export function areReasons(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((reason) => typeof reason === 'string' && reason !== '')
  )
}
