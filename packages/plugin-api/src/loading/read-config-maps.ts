import { errorText } from '@berth/text/error-text'
import { describeValue } from '../checks/describe-value.ts'
import { namespacedName } from '../contract/argument-names.ts'
import type { SchedulingPlugin } from '../contract/scheduling-plugin.ts'
import { PluginError } from '../errors.ts'

/**
 * Returns the ConfigMaps that a plugin reads with these arguments, as `namespace/name`.
 *
 * @param args - Parsed by the schema of the plugin.
 * @throws PluginError BERTH_PLUGIN_CREATE when the plugin throws or returns something else.
 */
export function readConfigMaps(plugin: SchedulingPlugin, args: unknown): readonly string[] {
  const action = `create plugin ${plugin.name}`
  let names: unknown
  try {
    names = plugin.configMaps?.(args) ?? []
  } catch (error) {
    throw new PluginError(`${action}: configMaps failed: ${errorText(error)}`, {
      code: 'BERTH_PLUGIN_CREATE',
      cause: error,
    })
  }
  const list: readonly unknown[] = Array.isArray(names) ? names : [names]
  const wrong = list.find((name) => !namespacedName.safeParse(name).success)
  if (wrong === undefined && Array.isArray(names)) return names as readonly string[]
  throw new PluginError(`${action}: configMaps returned ${describeValue(wrong ?? names)}, expected NAMESPACE/NAME`, {
    code: 'BERTH_PLUGIN_CREATE',
    hint: 'Return a list with the namespace and the name of each ConfigMap from configMaps.',
  })
}
