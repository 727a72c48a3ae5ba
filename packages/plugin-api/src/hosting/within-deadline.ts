/** Waits for a promise, at most `deadlineMs`; then rejects with what `failure` makes. The promise itself goes on unheard. */
export async function withinDeadline<T>(promise: Promise<T>, deadlineMs: number, failure: () => Error): Promise<T> {
  const signal = AbortSignal.timeout(deadlineMs)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(failure()), { once: true })
  })
  return Promise.race([promise, late])
}
