/** A signal that aborts with its parents or by `abort`. `release` detaches it from the parents. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  abort(reason: Error): void
  release(): void
}

/** Makes a signal that follows `parents`. After `release` it leaves no listeners on parents that live long. */
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
