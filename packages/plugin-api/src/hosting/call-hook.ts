import { errorText } from '@berth/text/error-text'
import type { Clock } from '@berth/types'
import { PluginError } from '../errors.ts'

/** Options of {@link callHook}. */
export interface CallHookOptions {
  /** Name of the plugin. */
  readonly plugin: string
  /** Name of the hook. */
  readonly hook: string
  /** Milliseconds until the hook is aborted. */
  readonly deadlineMs: number
  readonly clock: Clock
  /** Aborted when the result is no longer needed. */
  readonly signal?: AbortSignal
}

/**
 * Runs a hook that may wait. Its signal is aborted at the deadline. A hook that ignores the signal is abandoned, and its late
 * result is dropped. Errors name the plugin and the hook.
 *
 * @throws PluginError BERTH_PLUGIN_HOOK_FAILED (it threw), BERTH_PLUGIN_DEADLINE, BERTH_PLUGIN_ABORTED.
 */
export async function callHook<T>(
  { plugin, hook, deadlineMs, clock, signal }: CallHookOptions,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const what = `run ${hook} of plugin ${plugin}`
  let giveUp: (error: PluginError) => void = () => {}
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = (error) => {
      reject(error)
      controller.abort(error)
    }
  })
  const abort = (): void =>
    giveUp(
      new PluginError(`${what}: it was aborted`, {
        code: 'BERTH_PLUGIN_ABORTED',
        retryable: true,
        cause: signal?.reason,
      }),
    )
  const timer = clock.setTimer(deadlineMs, () =>
    giveUp(
      new PluginError(`${what}: no result within ${deadlineMs} ms`, { code: 'BERTH_PLUGIN_DEADLINE', retryable: true }),
    ),
  )
  signal?.addEventListener('abort', abort, { once: true })
  try {
    if (signal?.aborted === true) abort()
    return await Promise.race([givenUp, startHook(run, controller.signal)])
  } catch (error) {
    if (error instanceof PluginError && error === controller.signal.reason) throw error
    const reason = errorText(error)
    throw new PluginError(`${what}: ${reason}`, { code: 'BERTH_PLUGIN_HOOK_FAILED', retryable: true, cause: error })
  } finally {
    timer.cancel()
    signal?.removeEventListener('abort', abort)
  }
}

// A hook that throws before its first await rejects like one that throws after it.
async function startHook<T>(run: (signal: AbortSignal) => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return run(signal)
}
