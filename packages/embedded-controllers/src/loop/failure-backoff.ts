import { backoffMs, type BackoffLimits } from '@berth/clock'
import type { Clock } from '@berth/types'

/** Delays that double while an operation keeps failing. */
export interface FailureBackoff {
  recordFailure(id: string): void
  /** Returns the milliseconds that are left to wait; 0 for an id without failures. */
  remainingMs(id: string): number
  forget(id: string): void
}

/**
 * Creates a backoff with separate delays for each id. After `2 * maxMs` without a failure, the first delay comes again.
 */
export function createFailureBackoff(clock: Clock, limits: BackoffLimits): FailureBackoff {
  const entries = new Map<string, { readonly failures: number; readonly atMs: number }>()
  return {
    recordFailure(id) {
      const atMs = clock.monotonic()
      const before = entries.get(id)
      const isOld = before === undefined || atMs - before.atMs > 2 * limits.maxMs
      entries.set(id, { failures: isOld ? 1 : before.failures + 1, atMs })
    },
    remainingMs(id) {
      const { failures, atMs } = entries.get(id) ?? { failures: 0, atMs: 0 }
      return Math.max(0, atMs + backoffMs(failures, limits) - clock.monotonic())
    },
    forget: (id) => void entries.delete(id),
  }
}
