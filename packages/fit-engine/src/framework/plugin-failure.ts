/** A plugin broke. Thrown inside a cycle only: decide() makes it the error of its decision. */
export class PluginFailure extends Error {
  readonly plugin: string

  constructor(plugin: string, message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.name = 'PluginFailure'
    this.plugin = plugin
  }
}

/** Runs a hook; whatever it throws names the plugin afterwards. */
export function guarded<T>(plugin: string, step: string, hook: () => T): T {
  try {
    return hook()
  } catch (cause) {
    if (cause instanceof PluginFailure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PluginFailure(plugin, `running ${step} plugin "${plugin}": ${reason}`, { cause })
  }
}
