import type { Clock, Random } from '@berth/types'
import { backoffMs, type BackoffLimits } from './backoff-ms.ts'

/** The growing delays of one retry loop. {@link backoffMs} is the same without state and jitter. */
export interface Backoff {
  /** Returns the milliseconds to wait before the next attempt; each call grows the next delay. */
  next(): number
}

/** How a {@link Backoff} grows. */
export interface BackoffOptions extends BackoffLimits {
  /** A delay is between its base and `1 + jitter` times its base. */
  readonly jitter: number
  /** Starts again from `initialMs` when `next` has not been called for this long. */
  readonly resetAfterMs: number
  readonly clock: Clock
  readonly random: Random
}

/**
 * Creates a backoff whose delays double from `initialMs` to `maxMs`. The jitter keeps clients from retrying together.
 */
export function createBackoff(options: BackoffOptions): Backoff {
  const { jitter, resetAfterMs, clock, random } = options
  let failures = 0
  let calledAtMs = clock.monotonic()
  return {
    next() {
      const nowMs = clock.monotonic()
      if (nowMs - calledAtMs > resetAfterMs) failures = 0
      calledAtMs = nowMs
      return backoffMs(++failures, options) * (1 + jitter * random())
    },
  }
}
