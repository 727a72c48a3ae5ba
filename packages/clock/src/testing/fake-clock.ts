import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@berth/types'
import { createVirtualTime } from './virtual-time.ts'

/**
 * A clock that stands still until it is advanced, for unit tests: promises settle after each timer. Use `TestClock` for
 * long runs with many timers.
 */
export interface FakeClock extends Clock {
  /** Lets promises settle, moves time by `ms`, runs each timer when it is due, and lets promises settle again. */
  advance(ms: number): Promise<void>
  /** Lets promises settle without moving time. */
  settle(): Promise<void>
  /** Returns the number of timers that have neither run nor been cancelled. */
  pendingTimers(): number
}

/**
 * Creates a fake clock.
 *
 * @param options.startMs - Wall clock at the start. Default: 2026-01-01T00:00:00Z.
 * @param options.turns - Number of event loop turns to wait for promises to settle. Default: 4.
 */
export function fakeClock(options: { readonly startMs?: number; readonly turns?: number } = {}): FakeClock {
  const { startMs = Date.UTC(2026, 0, 1), turns = 4 } = options
  const time = createVirtualTime(startMs)
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  }
  return {
    ...time.clock,
    async advance(ms) {
      const untilMs = time.elapsedMs() + ms
      await settle()
      while (time.runNext(untilMs)) await settle()
      time.moveTo(untilMs)
    },
    settle,
    pendingTimers: () => time.pendingTimers(),
  }
}
