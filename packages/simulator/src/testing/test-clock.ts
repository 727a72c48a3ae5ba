import type { Clock } from '@berth/types'
import { createTimerHeap } from './timer-heap.ts'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves time on and runs what falls due, in order, in one go: promises come to their turn only afterwards. */
  advance(ms: number): void
  /**
   * Moves time on as far as `advance`, but lets what falls due at one moment come to rest before the next one: loops
   * that wait for answers in process keep their pace, however long the time.
   */
  run(ms: number): Promise<void>
}

/** @param startMs - Wall clock at the start. */
export function createTestClock(startMs: number = Date.UTC(2026, 0, 1)): TestClock {
  let elapsedMs = 0
  const timers = createTimerHeap()
  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    setTimer(delayMs, task) {
      const timer = timers.push(elapsedMs + delayMs, task)
      return { cancel: () => void (timer.isCancelled = true) }
    },
    advance(ms) {
      const endMs = elapsedMs + ms
      for (let due = timers.pop(endMs); due !== undefined; due = timers.pop(endMs)) {
        elapsedMs = Math.max(elapsedMs, due.atMs)
        due.task()
      }
      elapsedMs = endMs
    },
    async run(ms) {
      const endMs = elapsedMs + ms
      await rest()
      for (let due = timers.pop(endMs); due !== undefined; due = timers.pop(endMs)) {
        elapsedMs = Math.max(elapsedMs, due.atMs)
        due.task()
        for (let same = timers.pop(elapsedMs); same !== undefined; same = timers.pop(elapsedMs)) same.task()
        await rest()
      }
      elapsedMs = endMs
    },
  }
}

/** Until every promise that can be kept without waiting for the world has been. */
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
