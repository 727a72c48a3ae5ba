/** Lets tasks through, so many at a time, in the order in which they came. */
export type Turnstile = <T>(task: () => Promise<T>) => Promise<T>

/**
 * A turnstile for at most `width` tasks at the same time.
 *
 * @param width - From 1.
 */
export function createTurnstile(width: number): Turnstile {
  const waiting: (() => void)[] = []
  let inside = 0
  return async (task) => {
    if (inside >= width) await new Promise<void>((resolve) => void waiting.push(resolve))
    else inside++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) inside--
      else next()
    }
  }
}
