import { callHook, type EffectContext, PluginError } from '@berth/plugin-api'
import type { Clock } from '@berth/types'
import type { EffectPlugin } from '@berth/scheduler-config'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { EffectError } from '../errors.ts'

/** Timeouts of effect hooks, milliseconds. */
export interface EffectDeadlines {
  readonly hookMs: number
  /** Longest time that permit may delay a pod; kube-scheduler's value is 15 minutes. */
  readonly permitMs: number
}

/** The default deadlines. */
export const defaultDeadlines: EffectDeadlines = { hookMs: 10_000, permitMs: 900_000 }

/** Options of {@link runHook}. */
export interface RunHookOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlineMs: number
  readonly waitingPods: WaitingPodRegistry
  /** Set for a hook that may write. */
  readonly fence?: WriteFence
}

/** Ends the writes of a replica that is no longer the leader. */
export interface WriteFence {
  /** Called right before each write: false once another replica may schedule. */
  readonly mayWrite: () => boolean
  /** Aborts when another replica may schedule. */
  readonly lost: AbortSignal
}

/**
 * Runs one hook of a plugin within its deadline. A hook with a fence does not start once another replica may schedule,
 * and is aborted when the Lease is lost.
 *
 * @throws EffectError BERTH_SCHEDULER_EFFECT
 */
export async function runHook<T>(
  { name, log }: EffectPlugin,
  hook: string,
  { clock, signal, deadlineMs, waitingPods, fence }: RunHookOptions,
  run: (context: Omit<EffectContext, 'state'>) => T | Promise<T>,
): Promise<T> {
  try {
    if (fence?.mayWrite() === false) throw notLeading(name, hook)
    return await callHook(
      { plugin: name, hook, deadlineMs, clock, signal: fencedSignal(signal, fence) },
      (hookSignal) => run({ signal: hookSignal, log, waitingPods: waitingPods.for(name) }),
    )
  } catch (error) {
    throw new EffectError(name, error instanceof Error ? error.message : `run ${hook} of plugin ${name}`, {
      code: 'BERTH_SCHEDULER_EFFECT',
      retryable: true,
      cause: error,
    })
  }
}

/**
 * Returns whether a plugin may have sent its write although its hook failed: the hook threw, or did not end in time and may
 * go on after its signal aborted.
 */
export function mayHaveWritten(error: unknown): error is EffectError {
  return error instanceof EffectError && error.cause instanceof PluginError
}

function fencedSignal(signal: AbortSignal, fence: WriteFence | undefined): AbortSignal {
  return fence === undefined ? signal : AbortSignal.any([signal, fence.lost])
}

function notLeading(plugin: string, hook: string): Error {
  return new Error(`run ${hook} of plugin ${plugin}: this replica is no longer the leader`)
}
