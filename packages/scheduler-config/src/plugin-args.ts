import { type BuiltInPlugin, builtInPlugins } from '@berth/fit-engine'
import { parseByJsonSchema } from '@berth/process/config'
import { ConfigError } from '@berth/process/errors'

/** Arguments of one plugin, with their path in the configuration. */
export interface PluginArgs {
  readonly args: Readonly<Record<string, unknown>>
  /** `profiles[0].pluginConfig[1]`. */
  readonly path: string
}

/**
 * Reads the arguments of the built-in plugins.
 *
 * @param argsByPlugin - Other plugins in it are skipped.
 * @param ignoredResources - Resources that extenders check. When there are any, they replace the configured
 * `ignoredResources` of NodeResourcesFit, as in kube-scheduler.
 * @returns By name of the plugin.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE naming the key.
 */
export function readBuiltInArgs(
  argsByPlugin: ReadonlyMap<string, PluginArgs>,
  ignoredResources: readonly string[],
): ReadonlyMap<string, object> {
  const valid = new Map<string, object>()
  for (const plugin of builtInPlugins) {
    const given = argsByPlugin.get(plugin.name)
    if (given !== undefined) valid.set(plugin.name, validateArgs(plugin, given))
  }
  if (ignoredResources.length > 0) valid.set('NodeResourcesFit', { ...valid.get('NodeResourcesFit'), ignoredResources })
  return valid
}

/**
 * Validates the arguments of a plugin. Arguments of a plugin that has none are refused in `profile.ts`, with their
 * path.
 */
function validateArgs({ name, argsSchema }: BuiltInPlugin, { args, path }: PluginArgs): object {
  if (argsSchema === undefined) return args
  const parsed = parseByJsonSchema(argsSchema, args)
  if (parsed.kind === 'valid') return parsed.value as object
  throw new ConfigError(`read ${path}.args of ${name}: ${parsed.problem}`, { code: 'BERTH_SCHEDULER_CONFIG_PROFILE' })
}
