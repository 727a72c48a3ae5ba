import type { Clock } from '@berth/types'

/** Longest delay of a timer of Node.js: one with a longer delay fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Returns the clock of this machine. Its timers may be longer than those of Node.js. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer(delayMs, task) {
      let timer: ReturnType<typeof setTimeout>
      const start = (leftMs: number): void => {
        timer =
          leftMs > MAX_DELAY_MS
            ? setTimeout(() => start(leftMs - MAX_DELAY_MS), MAX_DELAY_MS)
            : setTimeout(task, leftMs)
      }
      start(delayMs)
      return { cancel: () => clearTimeout(timer) }
    },
  }
}
