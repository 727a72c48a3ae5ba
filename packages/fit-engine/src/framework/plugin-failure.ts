import type { HookPoint } from './hook-meter.ts'

/** Extension point whose hook failed. */
export type FailurePoint = HookPoint | 'BindingAnnotations'

/**
 * A plugin threw or returned an invalid result. Thrown inside a cycle only: decide() turns it into the error of its
 * decision.
 */
export class PluginFailure extends Error {
  readonly plugin: string
  readonly point: FailurePoint

  constructor(plugin: string, point: FailurePoint, message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.name = 'PluginFailure'
    this.plugin = plugin
    this.point = point
  }
}

/** Runs a hook and names the plugin in what it throws. */
export function runHook<T>(plugin: string, point: FailurePoint, hook: () => T): T {
  try {
    return hook()
  } catch (cause) {
    if (cause instanceof PluginFailure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PluginFailure(plugin, point, `running ${point} plugin "${plugin}": ${reason}`, { cause })
  }
}
