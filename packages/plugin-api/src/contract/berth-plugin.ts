import type { DeviceSourcePlugin } from './device-source.ts'
import type { ResourceSourcePlugin } from './resource-source.ts'
import type { SchedulingPlugin } from './scheduling-plugin.ts'

/** Any plugin. A module exports one as `plugin`, or several as `plugins`. */
export type BerthPlugin = SchedulingPlugin | DeviceSourcePlugin | ResourceSourcePlugin

/** The contract that a plugin implements. */
export type PluginKind = BerthPlugin['kind']

/** All kinds of plugins. */
export const pluginKinds: readonly PluginKind[] = ['scheduling', 'device-source', 'resource-source']
