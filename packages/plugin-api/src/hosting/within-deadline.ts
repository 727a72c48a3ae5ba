/** Waits for a promise for at most `deadlineMs`, then rejects with the error of `failure`. The promise itself is not stopped. */
export async function withinDeadline<T>(promise: Promise<T>, deadlineMs: number, failure: () => Error): Promise<T> {
  const signal = AbortSignal.timeout(deadlineMs)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(failure()), { once: true })
  })
  return Promise.race([promise, late])
}
