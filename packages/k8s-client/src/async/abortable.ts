/** Settles like `promise`, or rejects with the signal's reason if it aborts first; `promise` then runs on unobserved. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A signal that aborts with its parents or by `abort`. `release` detaches it from the parents. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  abort(reason: Error): void
  release(): void
}

/** Makes a signal that follows `parents`. Unlike AbortSignal.any, it leaves no listeners on long-lived parents. */
export function linkAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController()
  const followed = parents.filter((parent) => parent !== undefined)
  const follow = (event: globalThis.Event): void => controller.abort((event.target as AbortSignal).reason)
  for (const parent of followed) {
    if (parent.aborted) controller.abort(parent.reason)
    else parent.addEventListener('abort', follow, { once: true })
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release() {
      for (const parent of followed) parent.removeEventListener('abort', follow)
    },
  }
}
