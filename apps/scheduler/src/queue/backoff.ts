/** How long a pod waits between attempts, milliseconds. */
export interface BackoffLimits {
  readonly initialMs: number
  readonly maxMs: number
}

/** kube-scheduler's podInitialBackoffSeconds and podMaxBackoffSeconds. */
export const defaultBackoff: BackoffLimits = { initialMs: 1_000, maxMs: 10_000 }

/**
 * How long a pod waits after it failed `count` times: initial, doubling, capped at the maximum.
 * Unlike kube-scheduler v1.36 the end is not cut to whole seconds.
 *
 * @param count - Consecutive errors where there are any, otherwise rejections; 0 means no wait.
 */
export function backoffMs(count: number, limits: BackoffLimits): number {
  if (count <= 0 || limits.maxMs <= 0) return 0
  // Beyond 2^30 the cap has long been reached; the bound keeps the power finite.
  return Math.min(limits.maxMs, limits.initialMs * 2 ** Math.min(count - 1, 30))
}
