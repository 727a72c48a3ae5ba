import { PluginError } from '../errors.ts'

/** What the kits throw: plugin, broken promise, and what was seen. */
export function contractBreach(plugin: string, sentence: string, cause?: unknown): PluginError {
  return new PluginError(`plugin ${plugin}: ${sentence}`, { code: 'BERTH_PLUGIN_CONTRACT', cause })
}

/** Freezes a value all the way down, so that whoever writes to it throws. Returns the same value. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(Object.freeze(value))) frozen(inner)
  return value
}
