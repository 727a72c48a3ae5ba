import { PluginError } from '../errors.ts'

/** Returns the error that the kits throw: the plugin, and how it breaks its contract. */
export function contractBreach(plugin: string, sentence: string, cause?: unknown): PluginError {
  return new PluginError(`plugin ${plugin}: ${sentence}`, {
    code: 'BERTH_PLUGIN_CONTRACT',
    cause,
    ...(cause instanceof PluginError && cause.hint !== undefined && { hint: cause.hint }),
  })
}

/** Freezes a value deeply, so that a write to it throws. Returns the same value. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(Object.freeze(value))) frozen(inner)
  return value
}
