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
 * Creates the source of every configured resource. Ids of `count` start with the resource's name, because the kubelet
 * confuses devices of two resources with the same id.
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
    return { entry, source: plugins.createDeviceSource(entry.source, sourceArgs(entry), { ...env, log }) }
  })
}

function sourceArgs({ name, source, args }: ResourceEntry): unknown {
  if (source !== 'count') return args
  return { idPrefix: name.slice(name.lastIndexOf('/') + 1).slice(0, 51), ...(args as object) }
}
