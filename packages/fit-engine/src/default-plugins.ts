import type { WeightedPlugin } from './framework/framework.ts'
import type { DefaultProfileArgs } from './plugin-args.ts'
import { balancedAllocation } from './plugins/balanced-allocation.ts'
import { imageLocality } from './plugins/image-locality.ts'
import { nodeResourcesFit } from './plugins/node-resources-fit.ts'

/**
 * The plugins of the default profile in kube-scheduler's order, with its weights (v1.36).
 *
 * @throws ProfileError BERTH_FIT_ARGS when some arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go
 */
export function defaultPlugins(args: DefaultProfileArgs = {}): readonly WeightedPlugin[] {
  return [
    { plugin: nodeResourcesFit(args.fit), weight: 1 },
    { plugin: balancedAllocation(args.balanced), weight: 1 },
    { plugin: imageLocality, weight: 1 },
  ]
}
