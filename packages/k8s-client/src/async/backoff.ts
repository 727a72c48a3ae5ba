import type { Clock, Random } from '@berth/types'

/** Growing pauses between attempts. */
export interface Backoff {
  /** Milliseconds to wait before the next attempt; grows with each call. */
  next(): number
}

/** Shape of a {@link Backoff}. */
export interface BackoffOptions {
  readonly initialMs: number
  readonly maxMs: number
  /** A pause is between its base and `1 + jitter` times that. */
  readonly jitter: number
  /** Starts again from `initialMs` when `next` has not been called for so long. */
  readonly resetAfterMs: number
  readonly clock: Clock
  readonly random: Random
}

/** Doubles from `initialMs` to `maxMs`, with jitter so that many clients do not return at the same moment. */
export function createBackoff(options: BackoffOptions): Backoff {
  const { initialMs, maxMs, jitter, resetAfterMs, clock, random } = options
  let base = initialMs
  let calledAt = clock.monotonic()
  return {
    next() {
      const now = clock.monotonic()
      if (now - calledAt > resetAfterMs) base = initialMs
      calledAt = now
      const pause = base * (1 + jitter * random())
      base = Math.min(maxMs, base * 2)
      return pause
    },
  }
}
