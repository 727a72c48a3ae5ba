import type { Clock } from '@berth/types'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void
}

/** @param startMs - Wall clock at the start. */
export function createTestClock(startMs: number = Date.UTC(2026, 0, 1)): TestClock {
  let elapsedMs = 0
  const timers = new Set<{ readonly atMs: number; readonly task: () => void }>()
  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    setTimer(delayMs, task) {
      const timer = { atMs: elapsedMs + delayMs, task }
      timers.add(timer)
      return { cancel: () => timers.delete(timer) }
    },
    advance(ms) {
      const endMs = elapsedMs + ms
      for (;;) {
        const due = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
        if (due === undefined) break
        timers.delete(due)
        elapsedMs = Math.max(elapsedMs, due.atMs)
        due.task()
      }
      elapsedMs = endMs
    },
  }
}
