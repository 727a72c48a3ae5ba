import { onAbort } from '@berth/clock'

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
  const removals = followed.map((parent) => {
    if (parent.aborted) controller.abort(parent.reason)
    return onAbort(parent, () => controller.abort(parent.reason))
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release() {
      for (const remove of removals) remove()
    },
  }
}
