import type { ExtenderClient } from './extender-client.ts'

/** A verb of the extender protocol. */
export type ExtenderVerb = 'filter' | 'prioritize' | 'preempt' | 'bind'

/** Called after every call to an extender, for metrics. */
export type ExtenderCallObserver = (call: {
  readonly extender: ExtenderClient
  readonly verb: ExtenderVerb
  readonly durationMs: number
  /** Undefined: the call succeeded. */
  readonly error?: unknown
}) => void

/** Signal, clock and observer of calls to extenders. */
export interface ExtenderCallContext {
  readonly signal: AbortSignal
  readonly monotonic: () => number
  readonly observe: ExtenderCallObserver
  /** Called when a call of this operation starts; returns a function that ends it. */
  readonly startTask?: (operation: 'prioritizing_extender') => () => void
}

/** Makes one call to an extender and reports its duration and result. */
export async function observeCall<T>(
  extender: ExtenderClient,
  verb: ExtenderVerb,
  { monotonic, observe }: ExtenderCallContext,
  call: () => Promise<T>,
): Promise<T> {
  const startMs = monotonic()
  try {
    const response = await call()
    observe({ extender, verb, durationMs: monotonic() - startMs })
    return response
  } catch (error) {
    observe({ extender, verb, durationMs: monotonic() - startMs, error })
    throw error
  }
}
