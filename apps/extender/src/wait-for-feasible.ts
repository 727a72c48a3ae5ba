import { sleep } from '@berth/clock'
import type { Clock } from '@berth/types'

/** Interval between two checks for a cluster change. */
const POLL_MS = 5

/** Options of {@link waitForFeasible}. */
export interface WaitForFeasibleOptions<T> {
  /** Evaluates the request with the current cluster state. */
  readonly evaluate: () => T
  /** Reports whether a result can be returned at once. */
  readonly isFeasible: (result: T) => boolean
  /** Returns a number that grows with every observed cluster change. */
  readonly generation: () => number
  readonly clock: Clock
  /** Maximum delay of an infeasible result, milliseconds. 0 disables the delay. */
  readonly limitMs: number
}

/**
 * Returns the first result if it is feasible. Otherwise evaluates again after each cluster change and returns the first
 * feasible result, or the last result at the limit. kube-scheduler retries a pod as soon as it sees that another pod
 * was deleted. The extender may see the same event a few milliseconds later, and nothing would trigger another retry.
 */
export async function waitForFeasible<T>(options: WaitForFeasibleOptions<T>): Promise<T> {
  const { evaluate, isFeasible, generation, clock, limitMs } = options
  const endMs = clock.monotonic() + limitMs
  let evaluatedAt = generation()
  let result = evaluate()
  while (!isFeasible(result) && clock.monotonic() < endMs) {
    await sleep(clock, POLL_MS)
    if (generation() === evaluatedAt) continue
    evaluatedAt = generation()
    result = evaluate()
  }
  return result
}
