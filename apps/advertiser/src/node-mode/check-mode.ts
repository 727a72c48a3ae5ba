import type { PluginRegistry } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/config'
import type { AdvertiserConfig } from '../config.ts'
import type { Declaration } from '../plan/declaration.ts'

/**
 * Returns the node of a process in node mode; undefined in central mode.
 *
 * @throws ConfigError BERTH_ADVERTISER_CONFIG_MODE if a key does not fit the mode.
 */
export function nodeOf({
  mode,
  nodeName,
  watchObjects,
}: Pick<AdvertiserConfig, 'mode' | 'nodeName' | 'watchObjects'>): string | undefined {
  if (mode === 'central') {
    if (nodeName === undefined) return undefined
    throw refusal('nodeName: only mode node has a node of its own', 'Set mode to node, or remove nodeName.')
  }
  if (nodeName === undefined) {
    throw refusal('nodeName: mode node needs the name of its node', 'Set it to spec.nodeName of the pod.')
  }
  if (watchObjects) {
    throw refusal(
      'watchObjects: the status of an object is about all nodes, which a process in mode node does not read',
      'Declare the resources in the file, or use mode central.',
    )
  }
  return nodeName
}

/**
 * Refuses sources that read the host where the process does not run on the nodes that it writes.
 *
 * @throws ConfigError BERTH_ADVERTISER_CONFIG_MODE naming the first of them.
 */
export function refuseHostSources(declarations: readonly Declaration[], plugins: Pick<PluginRegistry, 'list'>): void {
  const readsHost = new Set(
    plugins.list('resource-source').flatMap((listing) => (listing.readsHost ? [listing.name] : [])),
  )
  for (const { path, amount } of declarations) {
    if (amount.kind !== 'source' || !readsHost.has(amount.plugin)) continue
    throw refusal(
      `${path}.source.plugin: ${amount.plugin} reads the machine that it runs on, which is the node only in mode node`,
      'Set mode to node (chart: advertiser.mode=node).',
    )
  }
}

function refusal(message: string, hint: string): ConfigError {
  return new ConfigError(`configure the advertiser: ${message}`, { code: 'BERTH_ADVERTISER_CONFIG_MODE', hint })
}
