import { onAbort } from '@berth/clock'
import type { Clock, Timer } from '@berth/types'

/** Slows callers down to the rate at which a queue is emptied. */
export interface BackPressure {
  /**
   * Resolves when the queue is short enough, when nothing has left it for `patienceMs`, while the back-pressure is
   * suspended, or when `signal` aborts. Callers continue in order of arrival.
   */
  waitForRoom(signal: AbortSignal): Promise<void>
  /** Restarts the time of `patienceMs`: something left the queue, or is expected to leave it by `atMs` (monotonic). */
  progress(atMs?: number): void
  /** Lets callers continue after the queue became shorter, or after `isSuspended` became true. */
  update(): void
}

/** Options of {@link createBackPressure}. */
export interface BackPressureOptions {
  /** Returns the length of the queue. */
  readonly waiting: () => number
  /** Callers wait while more than this many items are queued. */
  readonly maxWaiting: number
  /** Callers no longer wait when there has been no progress for this time, milliseconds. */
  readonly patienceMs: number
  /** Returns whether callers need not wait. */
  readonly isSuspended: () => boolean
  readonly clock: Clock
}

/** Creates back-pressure for a queue that is empty. */
export function createBackPressure(options: BackPressureOptions): BackPressure {
  const { waiting, maxWaiting, patienceMs, isSuspended, clock } = options
  const waiters = new Set<() => void>()
  let progressMs = clock.monotonic()
  let timer: Timer | undefined

  const patienceLeftMs = (): number => progressMs + patienceMs - clock.monotonic()
  const release = (keep: number): void => {
    for (const resolve of waiters) {
      if (waiters.size <= keep) break
      waiters.delete(resolve)
      resolve()
    }
    if (waiters.size > 0) return
    timer?.cancel()
    timer = undefined
  }
  const watch = (): void => {
    timer = clock.setTimer(patienceLeftMs(), () => {
      timer = undefined
      if (patienceLeftMs() <= 0) release(0)
      else watch()
    })
  }

  return {
    async waitForRoom(signal) {
      if (waiting() <= maxWaiting || isSuspended() || patienceLeftMs() <= 0 || signal.aborted) return
      await new Promise<void>((resolve) => {
        const proceed = (): void => {
          removeAbort()
          resolve()
        }
        const removeAbort = onAbort(signal, () => {
          waiters.delete(proceed)
          release(waiters.size)
          resolve()
        })
        waiters.add(proceed)
        if (timer === undefined) watch()
      })
    },
    progress(atMs = clock.monotonic()) {
      progressMs = Math.max(progressMs, atMs)
    },
    update: () => release(isSuspended() ? 0 : Math.max(0, waiting() - maxWaiting)),
  }
}
