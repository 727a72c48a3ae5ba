import type { Clock } from '@berth/types'
import { onAbort } from './on-abort.ts'

/**
 * Waits `ms` on `clock`.
 *
 * @param signal - Ends the wait early: the promise then rejects with the signal's reason.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    const timer = clock.setTimer(ms, () => {
      removeAbort()
      resolve()
    })
    const removeAbort = onAbort(signal, () => {
      timer.cancel()
      reject(signal?.reason as Error)
    })
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
      removeAbort()
      resolve()
    }
    const timer = clock.setTimer(ms, end)
    const removeAbort = onAbort(signal, end)
  })
}
