/**
 * The version of the contracts that a plugin is written for. Each plugin states it, because a host provides its own
 * `@berth/plugin-api` to plugins from --plugin-dir: only the plugin knows what it was written against.
 */
export type PluginApiVersion = 'berth.dev/v1'

/** The current version. `packages/plugin-api/api` has its recorded types. */
export const currentApiVersion: PluginApiVersion = 'berth.dev/v1'

/** The version before the current one. Its plugins state no apiVersion, or the number 1. */
export const previousApiVersion = 'berth.dev/v1alpha1'

/**
 * The constant that plugins of berth.dev/v1alpha1 import to state their version. The types no longer have it, because a
 * plugin would state the version of its host.
 */
export const PLUGIN_API_VERSION = 1

/** Returns the version that a plugin states, as text; a plugin without one is of the previous version. */
export function statedApiVersion(apiVersion: unknown): string {
  if (apiVersion === undefined || apiVersion === PLUGIN_API_VERSION) return previousApiVersion
  return typeof apiVersion === 'string' ? apiVersion : JSON.stringify(apiVersion)
}
