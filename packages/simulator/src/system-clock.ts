import type { Clock } from '@berth/types'

/** The machine's clock. */
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
