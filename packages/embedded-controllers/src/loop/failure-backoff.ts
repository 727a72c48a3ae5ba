import type { Clock } from '@berth/types'

/** Delays that double while an operation keeps failing. */
export interface FailureBackoff {
  /** Records a failure. @returns Milliseconds to wait before the next attempt. */
  recordFailure(id: string): number
  /** Returns the milliseconds that are left to wait. */
  remainingMs(id: string): number
  forget(id: string): void
}

/** Creates a backoff that starts at `firstMs`. It starts again after a time of `2 * maxMs` without a failure. */
export function createFailureBackoff(
  clock: Clock,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): FailureBackoff {
  const entries = new Map<string, { readonly delayMs: number; readonly atMs: number }>()
  return {
    recordFailure(id) {
      const now = clock.monotonic()
      const before = entries.get(id)
      const isOld = before === undefined || now - before.atMs > 2 * maxMs
      const delayMs = isOld ? firstMs : Math.min(maxMs, before.delayMs * 2)
      entries.set(id, { delayMs, atMs: now })
      return delayMs
    },
    remainingMs(id) {
      const entry = entries.get(id)
      return entry === undefined ? 0 : Math.max(0, entry.atMs + entry.delayMs - clock.monotonic())
    },
    forget: (id) => void entries.delete(id),
  }
}
