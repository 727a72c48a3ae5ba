/** A running timer of a {@link Clock}. */
export interface Timer {
  cancel(): void
}

/** Time as an argument, so that tests own it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for time stamps that others read. */
  now(): number
  /** Monotonic milliseconds from an arbitrary origin: for durations and deadlines. */
  monotonic(): number
  /** Runs `task` once after `delayMs`. */
  setTimer(delayMs: number, task: () => void): Timer
}

/** A source of randomness: a number in [0, 1). */
export type Random = () => number
