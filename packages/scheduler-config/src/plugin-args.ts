import { type BuiltInPlugin, builtInPlugins } from '@berth/fit-engine'
import { parseByJsonSchema } from '@berth/process/config'
import { z } from 'zod'
import { durationText } from './extender-entry.ts'
import { refuseArgs } from './refuse-args.ts'

/** Arguments of one plugin, with their path in the configuration. */
export interface PluginArgs {
  readonly args: Readonly<Record<string, unknown>>
  /** Path of the entry in the configuration, such as `profiles[0].pluginConfig[1]`. */
  readonly path: string
}

const typeMeta = { apiVersion: z.string().optional(), kind: z.string().optional() }

/**
 * Arguments of kube-scheduler's plugins that have no effect here, because this scheduler refuses the pods that they
 * concern. They are validated all the same.
 *
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/validation/validation_pluginargs.go (v1.36)
 */
const unusedArgs: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [
    'DynamicResources',
    z.strictObject({ ...typeMeta, filterTimeout: durationText.optional(), bindingTimeout: durationText.optional() }),
  ],
])

/** Returns whether kube-scheduler's plugin of this name has arguments that are accepted without effect. */
export function hasUnusedArgs(name: string): boolean {
  return unusedArgs.has(name)
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
  for (const [name, schema] of unusedArgs) {
    const given = argsByPlugin.get(name)
    const parsed = schema.safeParse(given?.args ?? {})
    if (!parsed.success) refuseArgs(name, given?.path, z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '))
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
  refuseArgs(name, path, parsed.problem)
}
