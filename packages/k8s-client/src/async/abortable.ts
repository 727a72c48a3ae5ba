/** Settles as `promise`, or rejects with the signal's reason when it aborts first; `promise` goes on unheard. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A signal that aborts with any of `parents`, or by hand; `release` detaches it from them. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  abort(reason: Error): void
  release(): void
}

/** Makes a signal of its own that follows others without leaking listeners on those that live long. */
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
