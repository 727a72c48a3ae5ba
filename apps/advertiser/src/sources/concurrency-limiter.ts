/** Runs tasks in the order of the calls, at most a fixed number at a time. */
export type ConcurrencyLimiter = <T>(task: () => Promise<T>) => Promise<T>

/**
 * Creates a limiter that runs at most `limit` tasks at a time.
 *
 * @param limit - At least 1.
 */
export function createConcurrencyLimiter(limit: number): ConcurrencyLimiter {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
