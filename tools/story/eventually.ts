import { setTimeout as sleep } from 'node:timers/promises'
import { StepError } from './step-error.ts'

/** How long and under which signals to wait. */
export interface EventuallyOptions {
  /** What is waited for, as the end of the sentence "timed out waiting for …". */
  readonly what: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Time between two looks. */
  readonly intervalMs?: number
}

/**
 * Asks `look` until it answers with something other than undefined.
 *
 * @returns That answer.
 * @throws StepError after `timeoutMs`, with the last error of `look` as its cause; the signal's reason when it aborts.
 */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  { what, timeoutMs, signal, intervalMs = 100 }: EventuallyOptions,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs
  let lastError: unknown
  for (;;) {
    signal.throwIfAborted()
    try {
      const answer = await look()
      if (answer !== undefined) return answer
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() >= deadlineMs) {
      const reason = lastError instanceof Error ? `: ${lastError.message}` : ''
      throw new StepError(`timed out after ${timeoutMs / 1000} s waiting for ${what}${reason}`, { cause: lastError })
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
