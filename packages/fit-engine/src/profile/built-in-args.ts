import type { InterPodAffinityArgs } from '../plugins/inter-pod-affinity/args.ts'
import type { NodeAffinityArgs } from '../plugins/node-affinity/args.ts'
import type { BalancedAllocationArgs } from '../plugins/node-resources-balanced-allocation/args.ts'
import type { NodeResourcesFitArgs } from '../plugins/node-resources-fit/args.ts'
import type { FragmentationArgs } from '../plugins/node-resources-fragmentation/args.ts'
import type { PodTopologySpreadArgs } from '../plugins/pod-topology-spread/args.ts'

/** Arguments of built-in plugins by name; an absent plugin has its defaults. */
export interface BuiltInArgs {
  readonly NodeResourcesFit?: NodeResourcesFitArgs
  readonly NodeResourcesBalancedAllocation?: BalancedAllocationArgs
  readonly NodeAffinity?: NodeAffinityArgs
  readonly PodTopologySpread?: PodTopologySpreadArgs
  readonly InterPodAffinity?: InterPodAffinityArgs
  readonly NodeResourcesFragmentation?: FragmentationArgs
}
