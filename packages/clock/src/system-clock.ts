import type { Clock } from '@berth/types'

/** Returns the clock of this machine. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      return { cancel: () => clearTimeout(timer) }
    },
  }
}
