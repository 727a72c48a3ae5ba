/** The first and the longest delay between attempts, in milliseconds. */
export interface BackoffLimits {
  readonly initialMs: number
  readonly maxMs: number
}

/**
 * Returns the delay before the next attempt: `initialMs` after the first failure, doubled after each further one, at
 * most `maxMs`.
 *
 * @param failures - Consecutive failures so far; without a failure there is no delay.
 */
export function backoffMs(failures: number, { initialMs, maxMs }: BackoffLimits): number {
  if (failures <= 0 || maxMs <= 0) return 0
  // The maximum is reached long before 2^30; the bound keeps the power finite.
  return Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30))
}
