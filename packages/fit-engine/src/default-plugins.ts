import type { WeightedPlugin } from './framework/framework.ts'
import type { DefaultProfileArgs } from './plugin-args.ts'
import { balancedAllocation } from './plugins/balanced-allocation.ts'
import { imageLocality } from './plugins/image-locality.ts'
import { interPodAffinity } from './plugins/inter-pod-affinity.ts'
import { nodeAffinity } from './plugins/node-affinity.ts'
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts'
import { nodeName } from './plugins/node-name.ts'
import { nodePorts } from './plugins/node-ports.ts'
import { nodeResourcesFit } from './plugins/node-resources-fit.ts'
import { nodeUnschedulable } from './plugins/node-unschedulable.ts'
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts'
import { podTopologySpread } from './plugins/pod-topology-spread.ts'
import { taintToleration } from './plugins/taint-toleration.ts'
import { volumeBinding } from './plugins/volume-binding.ts'
import { volumeRestrictions } from './plugins/volume-restrictions.ts'
import { volumeZone } from './plugins/volume-zone.ts'

/**
 * The plugins of the default profile in kube-scheduler's order, with its weights (v1.36).
 *
 * @throws ProfileError BERTH_FIT_ARGS when some arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/apis/config/v1/default_plugins.go
 */
export function defaultPlugins(args: DefaultProfileArgs = {}): readonly WeightedPlugin[] {
  return [
    { plugin: nodeUnschedulable, weight: 1 },
    { plugin: nodeName, weight: 1 },
    { plugin: taintToleration, weight: 3 },
    { plugin: nodeAffinity(args.nodeAffinity), weight: 2 },
    { plugin: nodePorts, weight: 1 },
    { plugin: nodeResourcesFit(args.fit), weight: 1 },
    { plugin: volumeRestrictions, weight: 1 },
    { plugin: nodeVolumeLimits(), weight: 1 },
    { plugin: volumeBinding, weight: 1 },
    { plugin: volumeZone, weight: 1 },
    { plugin: podTopologySpread(args.podTopologySpread), weight: 2 },
    { plugin: interPodAffinity(args.interPodAffinity), weight: 2 },
    { plugin: balancedAllocation(args.balanced), weight: 1 },
    { plugin: imageLocality, weight: 1 },
    { plugin: nodeDeclaredFeatures, weight: 1 },
  ]
}
