import type { Clock } from '@berth/types'

/** Waits by the clock; ends early when a signal aborts or `wake` is called with what it returns. */
export function wait(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal,
  onWakeable: (wake: () => void) => void = () => {},
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.setTimer(delayMs, done)
    signal.addEventListener('abort', done, { once: true })
    onWakeable(done)
    if (signal.aborted) done()
  })
}
