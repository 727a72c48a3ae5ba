import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@berth/types'

/** A clock that stands still until told otherwise. */
export interface FakeClock extends Clock {
  /** Lets promises settle, moves time by `ms`, running each timer at its moment, and lets promises settle again. */
  advance(ms: number): Promise<void>
  /** Lets promises settle without moving time. */
  settle(): Promise<void>
  /** Timers that have not run. */
  pendingTimers(): number
}

interface Entry {
  readonly at: number
  readonly order: number
  readonly task: () => void
}

/**
 * Makes virtual time.
 *
 * @param options.startMs - Wall clock at the start. Default: 2026-01-01T00:00:00Z.
 * @param options.turns - Turns of the event loop per settling. Default: 4.
 */
export function fakeClock(options: { readonly startMs?: number; readonly turns?: number } = {}): FakeClock {
  const startMs = options.startMs ?? Date.UTC(2026, 0, 1)
  const turns = options.turns ?? 4
  const timers = new Set<Entry>()
  let elapsed = 0
  let order = 0

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  }
  const earliest = (until: number): Entry | undefined => {
    let first: Entry | undefined
    for (const entry of timers) {
      if (entry.at > until) continue
      if (first === undefined || entry.at < first.at || (entry.at === first.at && entry.order < first.order))
        first = entry
    }
    return first
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    setTimer(delayMs, task) {
      const entry: Entry = { at: elapsed + Math.max(0, delayMs), order: order++, task }
      timers.add(entry)
      return { cancel: () => void timers.delete(entry) }
    },
    async advance(ms) {
      const until = elapsed + ms
      await settle()
      for (let entry = earliest(until); entry !== undefined; entry = earliest(until)) {
        timers.delete(entry)
        elapsed = Math.max(elapsed, entry.at)
        entry.task()
        await settle()
      }
      elapsed = until
    },
    settle,
    pendingTimers: () => timers.size,
  }
}
