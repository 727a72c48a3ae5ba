import type { Clock } from '@berth/types'

/** The clock of the machine, for tests that need real sockets. */
export function realClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      return { cancel: () => clearTimeout(timer) }
    },
  }
}
