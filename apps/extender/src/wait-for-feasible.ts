import type { Clock } from '@berth/types'

/** Changes within this time, milliseconds, are evaluated together. */
const GATHER_MS = 1

/** Options of {@link waitForFeasible}. */
export interface WaitForFeasibleOptions<T> {
  /** Evaluates the request with the current cluster state. */
  readonly evaluate: () => T
  /** Reports whether a result can be returned at once. */
  readonly isFeasible: (result: T) => boolean
  /** Calls the listener after each cluster change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void
  readonly budget: WaitBudget
  readonly clock: Clock
  /** Maximum delay of an infeasible result, milliseconds. 0 disables the delay. */
  readonly limitMs: number
}

/**
 * Returns the first result if it is feasible. Otherwise evaluates again after each cluster change and returns the first
 * feasible result, or the last result when the time is over. kube-scheduler retries a pod as soon as it sees that another
 * pod was deleted. The extender may see the same event a few milliseconds later, and nothing would trigger another
 * retry.
 */
export async function waitForFeasible<T>(options: WaitForFeasibleOptions<T>): Promise<T> {
  const { evaluate, isFeasible, budget, clock } = options
  const first = evaluate()
  if (isFeasible(first)) return first
  const limitMs = budget.take(options.limitMs)
  if (limitMs <= 0) return first
  const startMs = clock.monotonic()
  try {
    return await nextFeasible(first, limitMs, options)
  } finally {
    budget.giveBack(limitMs - (clock.monotonic() - startMs))
  }
}

async function nextFeasible<T>(first: T, limitMs: number, options: WaitForFeasibleOptions<T>): Promise<T> {
  const { evaluate, isFeasible, subscribe, clock } = options
  const done = Promise.withResolvers<T>()
  let last = first
  let isGathering = false
  const again = (): void => {
    isGathering = false
    try {
      last = evaluate()
      if (isFeasible(last)) done.resolve(last)
    } catch (error) {
      done.reject(error)
    }
  }
  let gather = clock.setTimer(limitMs, () => done.resolve(last))
  const end = gather
  const unsubscribe = subscribe(() => {
    if (isGathering) return
    isGathering = true
    gather = clock.setTimer(GATHER_MS, again)
  })
  try {
    return await done.promise
  } finally {
    unsubscribe()
    end.cancel()
    gather.cancel()
  }
}

/** Limits the total time for which responses are delayed. */
export interface WaitBudget {
  /** Returns how many milliseconds of the wanted delay are allowed, and takes them. */
  take(wantedMs: number): number
  giveBack(unusedMs: number): void
}

/**
 * kube-scheduler waits for each response in its serial scheduling cycle. Delays may use this part of the time, so 20
 * unschedulable attempts per second are delayed by 1 ms each on average.
 */
const SHARE_OF_TIME = 0.02
/** Delays that a quiet cluster has saved up, milliseconds. */
const SAVED_MS = 200

/** Creates a full budget. */
export function createWaitBudget(clock: Clock): WaitBudget {
  let leftMs = SAVED_MS
  let atMs = clock.monotonic()
  return {
    take(requestedMs) {
      const wantedMs = Math.min(requestedMs, SAVED_MS)
      const nowMs = clock.monotonic()
      leftMs = Math.min(SAVED_MS, leftMs + (nowMs - atMs) * SHARE_OF_TIME)
      atMs = nowMs
      // A shorter delay than wanted would seldom help, but would use up the budget.
      if (leftMs < wantedMs) return 0
      leftMs -= wantedMs
      return wantedMs
    },
    giveBack(unusedMs) {
      leftMs = Math.min(SAVED_MS, leftMs + Math.max(0, unusedMs))
    },
  }
}
