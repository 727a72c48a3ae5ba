import type { Clock } from '@berth/types'

/** Time between two reads of the cluster, as `watch` has it. */
export const REFRESH_MS = 2_000
/** Reading takes at most this share of the time, so that a large cluster is not read without a break. */
const BUSY_SHARE = 0.1

/**
 * Returns a function that reads at most every {@link REFRESH_MS}, and less often when a read takes long. Callers in between
 * share the last result, and callers during a read wait for it. A failed read is not kept.
 */
export function sharedRead<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let current: { readonly value: T; readonly untilMs: number } | undefined
  let running: Promise<T> | undefined
  const readNow = async (): Promise<T> => {
    const startMs = clock.monotonic()
    const value = await read()
    const endMs = clock.monotonic()
    current = { value, untilMs: Math.max(startMs + REFRESH_MS, endMs + (endMs - startMs) / BUSY_SHARE) }
    return value
  }
  return () => {
    if (running !== undefined) return running
    if (current !== undefined && clock.monotonic() < current.untilMs) return Promise.resolve(current.value)
    running = readNow().finally(() => (running = undefined))
    return running
  }
}
