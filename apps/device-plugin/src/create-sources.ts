import { pluginErrorIn, type PluginRegistry } from '@berth/plugin-api'
import type { ProcessLogger } from '@berth/process/log'
import type { Clock, Random } from '@berth/types'
import type { ResourceEntry } from './config.ts'
import { NodeHelperError } from './errors.ts'
import { offerDevices, type OfferedDevices } from './offer/offer-devices.ts'

/** A configured resource and what it offers of its device source. */
export interface ResourceWithSource extends OfferedDevices {
  readonly entry: ResourceEntry
}

/**
 * Creates the source of every configured resource.
 *
 * @throws PluginError when a source is unknown or refuses its arguments
 * @throws NodeHelperError BERTH_DEVICE_PLUGIN_NODE_HELPER when a resource needs the node helper and there is none
 */
export function createSources(
  entries: readonly ResourceEntry[],
  plugins: PluginRegistry,
  env: {
    readonly log: ProcessLogger
    readonly clock: Clock
    readonly random: Random
    readonly hasNodeHelper: boolean
  },
): readonly ResourceWithSource[] {
  const needsHelper = entries.find(({ cdi }) => cdi)
  if (needsHelper !== undefined && !env.hasNodeHelper) {
    throw new NodeHelperError(`configure ${needsHelper.name}: cdi needs the node helper`, {
      hint: 'Set devicePlugin.nodeHelper.cdi.enabled=true in the chart, or start device-plugin node-helper and pass its socket with --node-helper; or remove cdi.',
    })
  }
  return entries.map((entry, index) => {
    const log = env.log.child({ resourceName: entry.name, source: entry.source })
    const { clock, random } = env
    const own = { clock, random, log, resourceName: entry.name }
    try {
      return { entry, ...offerDevices(plugins.createDeviceSource(entry.source, entry.args, own), entry) }
    } catch (error) {
      throw pluginErrorIn(error, `resources[${index}] (${entry.name})`)
    }
  })
}
