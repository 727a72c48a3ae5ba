/** A signal that aborts when a parent aborts or `abort` is called. `release` detaches it from the parents. */
export interface LinkedAbort {
  readonly signal: AbortSignal
  abort(reason: Error): void
  release(): void
}

/**
 * Creates a signal that aborts with its parents. Call `release` so that long-lived parents do not collect listeners.
 */
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
