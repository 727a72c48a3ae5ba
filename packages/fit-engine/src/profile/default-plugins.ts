import type { WeightedPlugin } from '../framework/framework.ts'
import type { BuiltInArgs } from './built-in-args.ts'
import { builtInPlugins, decidesOnNodes } from './built-in-plugins.ts'

/**
 * Makes the plugins of the default profile that decide on nodes, in kube-scheduler's order and with its weights (v1.36).
 * DefaultPreemption is not among them.
 *
 * @throws ProfileError BERTH_FIT_ARGS when some arguments are not valid.
 */
export function defaultPlugins(args: BuiltInArgs = {}): readonly WeightedPlugin[] {
  const argsByName = new Map<string, object>(Object.entries(args))
  return builtInPlugins
    .filter((plugin) => plugin.isDefault && decidesOnNodes(plugin))
    .map(({ name, weight, create }) => ({ plugin: create(argsByName.get(name)), weight }))
}
