import { onAbort } from '@berth/clock'

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
          removeAbort()
          waiters = waiters.filter((waiter) => waiter !== wake)
          resolve()
        }
        const removeAbort = onAbort(signal, wake)
        waiters.push(wake)
      }),
  }
}
