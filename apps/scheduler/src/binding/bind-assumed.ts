import type { Pod } from '@berth/types'
import { bindError } from './bind-error.ts'
import type { EffectRunner } from './effect-runner.ts'
import { type BindersResult, type RunBindersOptions, runBinders } from './run-binders.ts'

/** The result of {@link bindAssumed}. */
export type BindingResult =
  | BindersResult
  /** An error occurred before a binder ran, or a plugin threw. */
  | { readonly kind: 'failed'; readonly error: unknown }

/** Value of the label `outcome` of `berth_scheduler_bind_total`. */
export type BindOutcomeLabel = 'bound' | 'conflict' | 'gone' | 'unknown' | 'error'

/** Options of {@link bindAssumed}. */
export interface BindAssumedOptions extends RunBindersOptions {
  readonly onOutcome: (outcome: BindOutcomeLabel, durationMs: number) => void
}

/**
 * Runs permit, preBind and bind for an assumed pod. Never rejects. Resolves only when it is known whether the
 * pod is bound, or at shutdown.
 */
export async function bindAssumed(
  pod: Pod,
  nodeName: string,
  effects: EffectRunner,
  options: BindAssumedOptions,
): Promise<BindingResult> {
  try {
    for (const step of [() => effects.permit(), () => effects.preBind()]) {
      const result = await step()
      if (result.kind === 'rejected') return result
    }
    if (!options.mayWrite()) throw bindError(pod, nodeName, 'this replica is no longer the leader')
    const startMs = options.monotonic()
    try {
      const result = await runBinders(pod, nodeName, effects, options)
      options.onOutcome(result.kind === 'rejected' ? 'error' : result.kind, options.monotonic() - startMs)
      return result
    } catch (error) {
      options.onOutcome('error', options.monotonic() - startMs)
      throw error
    }
  } catch (error) {
    return { kind: 'failed', error }
  }
}
