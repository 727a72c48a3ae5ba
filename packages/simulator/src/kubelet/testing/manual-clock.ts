import type { Clock, Timer } from '@berth/types'
import { setImmediate } from 'node:timers/promises'

/** A clock that moves when it is told to. */
export interface ManualClock extends Clock {
  /** Fires what is due, in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>
}

/** Lets everything that waits for no timer happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

/** Starts at `nowMs` of the wall clock. */
export function manualClock(nowMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0
  const timers = new Set<{ readonly at: number; readonly task: () => void }>()
  return {
    now: () => nowMs + elapsed,
    monotonic: () => elapsed,
    setTimer(delayMs, task): Timer {
      const timer = { at: elapsed + delayMs, task }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
    async advance(ms) {
      const until = elapsed + ms
      await settle()
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers.delete(next)
        elapsed = Math.max(elapsed, next.at)
        next.task()
        await settle()
      }
      elapsed = until
    },
  }
}
