/**
 * Returns the message of a thrown value, which may be anything. When a disposal failed after an error, returns both
 * messages, the earlier one first.
 */
export function errorText(thrown: unknown): string {
  if (thrown instanceof SuppressedError) return `${errorText(thrown.suppressed)}; then ${errorText(thrown.error)}`
  return thrown instanceof Error ? thrown.message : String(thrown)
}
