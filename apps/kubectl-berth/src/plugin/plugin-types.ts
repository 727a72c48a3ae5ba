import { join } from 'node:path'
import { collectPluginTypes } from './collect-plugin-types.ts'

/** Returns the types for plugin files. In the bundle, tsup.config.ts replaces this module by the text. */
export function pluginTypes(): string {
  return collectPluginTypes(join(import.meta.dirname, '../../node_modules'))
}
