/**
 * A plugin threw or returned an invalid result. Thrown inside a cycle only: decide() turns it into the error of its
 * decision.
 */
export class PluginFailure extends Error {
  readonly plugin: string

  constructor(plugin: string, message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.name = 'PluginFailure'
    this.plugin = plugin
  }
}

/** Runs a hook and names the plugin in what it throws. */
export function runHook<T>(plugin: string, step: string, hook: () => T): T {
  try {
    return hook()
  } catch (cause) {
    if (cause instanceof PluginFailure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PluginFailure(plugin, `running ${step} plugin "${plugin}": ${reason}`, { cause })
  }
}
