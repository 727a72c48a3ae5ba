import { currentApiVersion, statedApiVersion } from '../contract/api-version.ts'
import type { BerthPlugin, PluginKind } from '../contract/berth-plugin.ts'
import { checkPlugin } from '../loading/check-plugin.ts'
import { createPluginRegistry } from '../loading/plugin-registry.ts'
import { contractBreach } from './contract-breach.ts'

/**
 * Checks the rules that all kinds share: shape, version and strict arguments.
 *
 * @returns A registry that holds only this plugin.
 */
export function createChecked(plugin: unknown, kind: PluginKind): ReturnType<typeof createPluginRegistry> {
  const checked: BerthPlugin = checkPlugin(plugin, 'the kit')
  if (checked.kind !== kind)
    throw contractBreach(checked.name, `it is a ${checked.kind} plugin, but this kit is for ${kind} plugins`)
  // Stricter than a host, which also accepts the previous version: a plugin under development should use the current one.
  const stated = statedApiVersion(checked.apiVersion)
  if (stated !== currentApiVersion)
    throw contractBreach(checked.name, `it is written for ${stated}; state apiVersion: '${currentApiVersion}'`)
  return createPluginRegistry([{ plugin: checked, origin: 'the kit' }])
}
