import type { Clock } from '@berth/types'

/**
 * Limits the reviews that callers at one address can cause, so that reviews for callers at other addresses remain
 * possible.
 */
export interface CallerBudgets {
  /** Returns whether another review may start for a caller at this address. */
  mayStart(address: string): boolean
  /**
   * Counts a review from now on.
   *
   * @returns A function that ends it, to be called once; `isRefused`: the API server does not know the caller.
   */
  start(address: string): (isRefused: boolean) => void
}

/** Options of {@link createCallerBudgets}. */
export interface CallerBudgetOptions {
  /** Maximum number of reviews in flight for one address. */
  readonly maxInFlight: number
  /** Maximum number of callers that the API server does not know, for one address and `windowMs`. */
  readonly maxRefused: number
  readonly windowMs: number
  readonly clock: Pick<Clock, 'monotonic'>
}

interface Budget {
  inFlight: number
  /** Monotonic times of the latest refusals, oldest first. */
  refusedAtMs: readonly number[]
}

/** Creates budgets that nothing has used. */
export function createCallerBudgets(options: CallerBudgetOptions): CallerBudgets {
  const { maxInFlight, maxRefused, windowMs, clock } = options
  const budgets = new Map<string, Budget>()

  const latest = ({ refusedAtMs }: Budget): readonly number[] =>
    refusedAtMs.filter((atMs) => clock.monotonic() - atMs < windowMs)
  const prune = (): void => {
    for (const [address, budget] of budgets) {
      if (budget.inFlight === 0 && latest(budget).length === 0) budgets.delete(address)
    }
  }

  return {
    mayStart(address) {
      const budget = budgets.get(address)
      return budget === undefined || (budget.inFlight < maxInFlight && latest(budget).length < maxRefused)
    },
    start(address) {
      prune()
      const budget = budgets.get(address) ?? { inFlight: 0, refusedAtMs: [] }
      budgets.set(address, budget)
      budget.inFlight += 1
      return (isRefused) => {
        budget.inFlight -= 1
        if (isRefused) budget.refusedAtMs = [...latest(budget), clock.monotonic()]
      }
    },
  }
}
