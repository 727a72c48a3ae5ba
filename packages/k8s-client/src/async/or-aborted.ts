import { onAbort } from '@berth/clock'

/**
 * Settles like `promise`, or rejects with the signal's reason if it aborts first. `promise` itself is not cancelled.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    const remove = onAbort(signal, () => reject(signal.reason as Error))
    promise.then(resolve, reject).finally(remove)
  })
}
