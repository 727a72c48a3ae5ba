import type { BerthPlugin, PluginKind } from '../contract/berth-plugin.ts'
import { checkPlugin } from '../loading/check-plugin.ts'
import { createPluginRegistry } from '../loading/plugin-registry.ts'
import { contractBreach } from './contract-breach.ts'

/**
 * Makes sure of what every kind promises: shape, version, strict arguments.
 *
 * @returns The registry that holds this plugin alone, with which a kit creates it.
 */
export function createChecked(plugin: unknown, kind: PluginKind): ReturnType<typeof createPluginRegistry> {
  const checked: BerthPlugin = checkPlugin(plugin, 'the kit')
  if (checked.kind !== kind) throw contractBreach(checked.name, `it is a ${checked.kind}, this kit is for ${kind}`)
  return createPluginRegistry([{ plugin: checked, origin: 'the kit' }])
}
