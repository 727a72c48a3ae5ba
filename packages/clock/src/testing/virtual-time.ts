import type { Clock } from '@berth/types'
import { createTimerHeap } from './timer-heap.ts'

/** A clock that stands still, and the means to move it. */
export interface VirtualTime {
  readonly clock: Clock
  /** Returns the milliseconds since the start. */
  elapsedMs(): number
  /** Moves to the next timer that is due at `untilMs` or before and runs it. Returns false when there is none. */
  runNext(untilMs: number): boolean
  /** Sets the time without running timers: call {@link VirtualTime.runNext} for the due ones first. */
  moveTo(elapsedMs: number): void
  /** Returns the number of timers that have neither run nor been cancelled. */
  pendingTimers(): number
}

/**
 * Creates a clock that moves only by `runNext` and `moveTo`.
 *
 * @param startMs - Wall clock at the start.
 */
export function createVirtualTime(startMs: number): VirtualTime {
  const timers = createTimerHeap()
  let elapsedMs = 0
  let pending = 0
  return {
    clock: {
      now: () => startMs + elapsedMs,
      monotonic: () => elapsedMs,
      setTimer(delayMs, task) {
        // A cancelled timer stays in the heap until it is due. It must not keep its task's closure alive until then.
        let waiting: (() => void) | undefined = task
        pending++
        const take = (): (() => void) | undefined => {
          const taken = waiting
          if (taken !== undefined) pending--
          waiting = undefined
          return taken
        }
        const timer = timers.push(elapsedMs + Math.max(0, delayMs), () => take()?.())
        return {
          cancel() {
            timer.isCancelled = true
            take()
          },
        }
      },
    },
    elapsedMs: () => elapsedMs,
    runNext(untilMs) {
      const due = timers.pop(untilMs)
      if (due === undefined) return false
      elapsedMs = Math.max(elapsedMs, due.atMs)
      due.task()
      return true
    },
    moveTo(ms) {
      elapsedMs = ms
    },
    pendingTimers: () => pending,
  }
}
