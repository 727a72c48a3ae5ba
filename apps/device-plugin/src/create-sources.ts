import type { DeviceSource, PluginRegistry } from '@berth/plugin-api'
import type { ProcessLogger } from '@berth/process/log'
import type { Clock, Random } from '@berth/types'
import type { ResourceEntry } from './config.ts'

/** A configured resource and its device source. */
export interface ResourceWithSource {
  readonly entry: ResourceEntry
  readonly source: DeviceSource
}

/**
 * Creates the source of every configured resource.
 *
 * @throws PluginError when a source is unknown or refuses its arguments
 */
export function createSources(
  entries: readonly ResourceEntry[],
  plugins: PluginRegistry,
  env: { readonly log: ProcessLogger; readonly clock: Clock; readonly random: Random },
): readonly ResourceWithSource[] {
  return entries.map((entry) => {
    const log = env.log.child({ resourceName: entry.name, source: entry.source })
    const own = { ...env, log, resourceName: entry.name }
    return { entry, source: plugins.createDeviceSource(entry.source, entry.args, own) }
  })
}
