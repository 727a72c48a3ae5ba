import { setTimeout as sleep } from 'node:timers/promises'
import { UnmetExpectationError } from './unmet-expectation-error.ts'

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** The awaited condition. It ends the sentence "timed out after 5 s waiting for …". */
  readonly what: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Pause between two attempts. Default: 100 ms. */
  readonly intervalMs?: number
}

/**
 * Calls `probe` until it returns a value other than undefined.
 *
 * @returns That value.
 * @throws UnmetExpectationError after `timeoutMs`, with the last error of `probe` as its cause.
 * @throws The signal's reason when the signal aborts.
 */
export async function eventually<T>(
  probe: () => Promise<T | undefined>,
  { what, timeoutMs, signal, intervalMs = 100 }: EventuallyOptions,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs
  let lastError: unknown
  for (;;) {
    signal.throwIfAborted()
    try {
      const answer = await probe()
      if (answer !== undefined) return answer
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() >= deadlineMs) {
      const reason = lastError instanceof Error ? `: ${lastError.message}` : ''
      throw new UnmetExpectationError(`timed out after ${timeoutMs / 1000} s waiting for ${what}${reason}`, {
        cause: lastError,
      })
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
