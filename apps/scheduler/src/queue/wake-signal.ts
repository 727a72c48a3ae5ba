/** Lets one loop sleep until somebody has news for it. */
export interface WakeSignal {
  raise(): void
  /** Resolves at the next raise, or when `signal` aborts; never rejects. */
  wait(signal: AbortSignal): Promise<void>
}

/** Makes a signal that nobody raised yet. */
export function createWakeSignal(): WakeSignal {
  let waiters: (() => void)[] = []
  return {
    raise() {
      const woken = waiters
      waiters = []
      for (const wake of woken) wake()
    },
    wait: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve()
          return
        }
        const wake = (): void => {
          signal.removeEventListener('abort', wake)
          waiters = waiters.filter((waiter) => waiter !== wake)
          resolve()
        }
        signal.addEventListener('abort', wake, { once: true })
        waiters.push(wake)
      }),
  }
}
