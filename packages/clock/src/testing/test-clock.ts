import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@berth/types'
import { createVirtualTime } from './virtual-time.ts'

/** A clock that stands still until it is moved, for long runs with many timers. Use `FakeClock` in unit tests. */
export interface TestClock extends Clock {
  /** Moves time by `ms` and runs the due timers in order, synchronously: promises settle only after it returns. */
  advance(ms: number): void
  /**
   * Moves time by `ms`, and lets promises settle after each instant at which timers were due, so that loops that wait
   * for responses within the process run as often as they would in real time.
   */
  run(ms: number): Promise<void>
}

/**
 * Creates a test clock.
 *
 * @param startMs - Wall clock at the start.
 * @param settle - Lets promises settle. Default: one turn of the event loop. Code that yields to the event loop needs more.
 */
export function createTestClock(
  startMs: number = Date.UTC(2026, 0, 1),
  settle: () => Promise<void> = () => nextTurn(),
): TestClock {
  const time = createVirtualTime(startMs)
  const runAllUntil = (untilMs: number): void => {
    while (time.runNext(untilMs));
  }
  return {
    ...time.clock,
    advance(ms) {
      const untilMs = time.elapsedMs() + ms
      runAllUntil(untilMs)
      time.moveTo(untilMs)
    },
    async run(ms) {
      const untilMs = time.elapsedMs() + ms
      await settle()
      while (time.runNext(untilMs)) {
        runAllUntil(time.elapsedMs())
        await settle()
      }
      time.moveTo(untilMs)
    },
  }
}
