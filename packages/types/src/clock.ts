/** A running timer of a {@link Clock}. */
export interface Timer {
  cancel(): void
}

/** Time as an argument, so that tests control it. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch, for timestamps. */
  now(): number
  /** Monotonic time in milliseconds from an arbitrary origin, for durations and deadlines. */
  monotonic(): number
  /** Runs `task` once after `delayMs`. */
  setTimer(delayMs: number, task: () => void): Timer
}

/** A source of randomness. Returns a number in [0, 1). */
export type Random = () => number
