import type { Clock } from '@berth/types'

/**
 * Waits `ms` on `clock`.
 *
 * @param signal - Ends the wait early: the promise then rejects with the signal's reason.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    const abort = (): void => {
      timer.cancel()
      reject(signal?.reason as Error)
    }
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/**
 * Waits `ms` on `clock`, or until `signal` aborts. Resolves in both cases: for loops that check the signal themselves.
 */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimer(ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
