import type { Clock } from '@berth/types'

/** Delays that double while something goes on failing. */
export interface FailureBackoff {
  /** Notes a failure. @returns milliseconds to wait before the next try */
  failed(id: string): number
  /** Milliseconds that are still to be waited; 0: go on. */
  remaining(id: string): number
  forget(id: string): void
}

/** The first delay is `firstMs`; it is forgotten after twice the longest delay without a failure. */
export function createFailureBackoff(
  clock: Clock,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): FailureBackoff {
  const entries = new Map<string, { readonly delayMs: number; readonly atMs: number }>()
  return {
    failed(id) {
      const now = clock.monotonic()
      const before = entries.get(id)
      const isOld = before === undefined || now - before.atMs > 2 * maxMs
      const delayMs = isOld ? firstMs : Math.min(maxMs, before.delayMs * 2)
      entries.set(id, { delayMs, atMs: now })
      return delayMs
    },
    remaining(id) {
      const entry = entries.get(id)
      return entry === undefined ? 0 : Math.max(0, entry.atMs + entry.delayMs - clock.monotonic())
    },
    forget: (id) => void entries.delete(id),
  }
}
