import type { Clock } from '@berth/types'
import { onAbort } from './on-abort.ts'

/** Options of {@link withDeadline}. */
export interface DeadlineOptions {
  readonly clock: Clock
  readonly deadlineMs: number
  /** Ends the wait early. */
  readonly signal?: AbortSignal
  /** Creates the error at the deadline. Default: `no answer within N s`. */
  readonly lateError?: () => Error
}

/**
 * Runs an action and waits for at most `deadlineMs`. The action gets a signal that aborts at the deadline, or when
 * `signal` aborts. An action that ignores the signal continues, but its result is discarded. With a signal that is aborted
 * already, the action does not run.
 *
 * @throws The error of the action; `lateError` at the deadline; `it was stopped` when `signal` aborts.
 */
export async function withDeadline<T>(
  {
    clock,
    deadlineMs,
    signal,
    lateError = () => new Error(`no answer within ${deadlineMs / 1000} s`),
  }: DeadlineOptions,
  action: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const stopped = (): Error => new Error('it was stopped')
  if (signal?.aborted === true) throw stopped()
  const deadline = new AbortController()
  const timer = clock.setTimer(deadlineMs, () => deadline.abort(lateError()))
  const removeStop = onAbort(signal, () => deadline.abort(stopped()))
  const aborted = new Promise<never>((_resolve, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason as Error), { once: true })
  })
  try {
    const run = async (): Promise<T> => action(deadline.signal)
    return await Promise.race([run(), aborted])
  } finally {
    timer.cancel()
    removeStop()
  }
}
