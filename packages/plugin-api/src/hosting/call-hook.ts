import { errorText } from '@berth/text/error-text'
import type { Clock } from '@berth/types'
import { PluginError } from '../errors.ts'

/** What `callHook` takes. */
export interface CallHookOptions {
  /** Name of the plugin. */
  readonly plugin: string
  /** Name of the hook. */
  readonly hook: string
  /** Milliseconds until the hook is given up. */
  readonly deadlineMs: number
  readonly clock: Clock
  /** Aborted when the answer is no longer wanted. */
  readonly signal?: AbortSignal
}

/**
 * The error boundary around every hook that may wait: runs it with a signal that is aborted at the deadline, and
 * turns whatever goes wrong into an error that names plugin and hook. A hook that ignores its signal is left behind;
 * its late answer is dropped.
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
      new PluginError(`${what}: no answer within ${deadlineMs} ms`, { code: 'BERTH_PLUGIN_DEADLINE', retryable: true }),
    ),
  )
  signal?.addEventListener('abort', abort, { once: true })
  try {
    if (signal?.aborted === true) abort()
    return await Promise.race([givenUp, started(run, controller.signal)])
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
async function started<T>(run: (signal: AbortSignal) => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return run(signal)
}
