/** A signal that wakes waiting loops when it is raised. */
export interface WakeSignal {
  raise(): void
  /** Resolves at the next raise, or when `signal` aborts; never rejects. */
  wait(signal: AbortSignal): Promise<void>
}

/** Creates a signal that has not been raised. */
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
