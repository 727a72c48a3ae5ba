import type { WeightedPlugin } from '../framework/framework.ts'
import type { DefaultProfileArgs } from '../plugin-args.ts'
import { balancedAllocation } from '../plugins/node-resources-balanced-allocation/plugin.ts'
import { imageLocality } from '../plugins/image-locality/plugin.ts'
import { interPodAffinity } from '../plugins/inter-pod-affinity/plugin.ts'
import { nodeAffinity } from '../plugins/node-affinity/plugin.ts'
import { nodeDeclaredFeatures } from '../plugins/node-declared-features/plugin.ts'
import { nodeName } from '../plugins/node-name/plugin.ts'
import { nodePorts } from '../plugins/node-ports/plugin.ts'
import { nodeResourcesFit } from '../plugins/node-resources-fit/plugin.ts'
import { nodeUnschedulable } from '../plugins/node-unschedulable/plugin.ts'
import { nodeVolumeLimits } from '../plugins/node-volume-limits/plugin.ts'
import { podTopologySpread } from '../plugins/pod-topology-spread/plugin.ts'
import { taintToleration } from '../plugins/taint-toleration/plugin.ts'
import { volumeBinding } from '../plugins/volume-binding/plugin.ts'
import { volumeRestrictions } from '../plugins/volume-restrictions/plugin.ts'
import { volumeZone } from '../plugins/volume-zone/plugin.ts'

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
