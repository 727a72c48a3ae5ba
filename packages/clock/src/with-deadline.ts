import type { Clock } from '@berth/types'

/**
 * Runs an action and waits for at most `deadlineMs`. The action gets a signal that aborts at the deadline, or when
 * `signal` aborts. An action that ignores the signal continues, but its result is discarded.
 *
 * @throws The error of the action; `no answer within N s` at the deadline; `it was stopped` when `signal` aborts.
 */
export async function withDeadline<T>(
  { clock, deadlineMs, signal }: { readonly clock: Clock; readonly deadlineMs: number; readonly signal?: AbortSignal },
  action: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = clock.setTimer(deadlineMs, () => deadline.abort(new Error(`no answer within ${deadlineMs / 1000} s`)))
  const stop = (): void => deadline.abort(new Error('it was stopped'))
  signal?.addEventListener('abort', stop, { once: true })
  const aborted = new Promise<never>((_resolve, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason as Error), { once: true })
  })
  try {
    const run = async (): Promise<T> => action(deadline.signal)
    return await Promise.race([run(), aborted])
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', stop)
  }
}
