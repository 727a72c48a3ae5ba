import { join } from 'node:path'
import { collectPluginTypes } from './collect-plugin-types.ts'

/** Returns the types for plugin files. The bundle has them as a text: tsup.config.ts replaces this module. */
export function pluginTypes(): string {
  return collectPluginTypes(join(import.meta.dirname, '../../node_modules'))
}
