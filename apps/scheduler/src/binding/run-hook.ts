import { callHook, type EffectContext } from '@berth/plugin-api'
import type { Clock } from '@berth/types'
import type { EffectPlugin } from '@berth/scheduler-config'
import { EffectError } from '../errors.ts'

/** Timeouts of effect hooks, milliseconds. */
export interface EffectDeadlines {
  readonly hookMs: number
  /** Timeout of permit, which may delay a pod on purpose; kube-scheduler allows at most 15 minutes. */
  readonly permitMs: number
}

/** The default deadlines. */
export const defaultDeadlines: EffectDeadlines = { hookMs: 10_000, permitMs: 900_000 }

/** Options of {@link runHook}. */
export interface RunHookOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

/**
 * Runs one hook of a plugin within its deadline.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT
 */
export async function runHook<T>(
  { name, log }: EffectPlugin,
  hook: string,
  { clock, signal, deadlineMs }: RunHookOptions,
  run: (context: Omit<EffectContext, 'state'>) => T | Promise<T>,
): Promise<T> {
  try {
    return await callHook({ plugin: name, hook, deadlineMs, clock, signal }, (hookSignal) =>
      run({ signal: hookSignal, log }),
    )
  } catch (error) {
    throw new EffectError(name, error instanceof Error ? error.message : `run ${hook} of plugin ${name}`, {
      code: 'BERTH_SCHEDULER_EFFECT',
      retryable: true,
      cause: error,
    })
  }
}
