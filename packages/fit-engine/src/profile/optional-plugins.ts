import type { WeightedPlugin } from '../framework/framework.ts'
import type { OptionalPluginArgs } from '../plugin-args.ts'
import { resourcesFragmentation } from '../plugins/node-resources-fragmentation/plugin.ts'

/**
 * Berth's own plugins that a profile may name besides {@link defaultPlugins}, with the weight that they have there
 * unless it says otherwise. None of them is on by default.
 *
 * @throws ProfileError BERTH_FIT_ARGS when some arguments are not valid.
 */
export function optionalPlugins(args: OptionalPluginArgs = {}): readonly WeightedPlugin[] {
  return [{ plugin: resourcesFragmentation(args.fragmentation), weight: 1 }]
}
