import type { NodeAffinity, TopologySpreadConstraint } from '@berth/types'

/** A resource with its share in a score. */
export interface ResourceWeight {
  readonly name: string
  /** 1 to 100; absent or 0 means 1. */
  readonly weight?: number
}

/** `kubescheduler.config.k8s.io/v1` UtilizationShapePoint. */
export interface ShapePoint {
  /** Percent, 0 to 100. */
  readonly utilization: number
  /** 0 to 10. */
  readonly score: number
}

/** `kubescheduler.config.k8s.io/v1` ScoringStrategy. */
export interface ScoringStrategyArgs {
  readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio'
  readonly resources?: readonly ResourceWeight[]
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] }
}

/** `kubescheduler.config.k8s.io/v1` NodeResourcesFitArgs. */
export interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[]
  readonly ignoredResourceGroups?: readonly string[]
  readonly scoringStrategy?: ScoringStrategyArgs
}

/** `kubescheduler.config.k8s.io/v1` NodeResourcesBalancedAllocationArgs. */
export interface BalancedAllocationArgs {
  readonly resources?: readonly ResourceWeight[]
}

/** `kubescheduler.config.k8s.io/v1` NodeAffinityArgs. */
export interface NodeAffinityArgs {
  readonly addedAffinity?: NodeAffinity
}

/** `kubescheduler.config.k8s.io/v1` PodTopologySpreadArgs. */
export interface PodTopologySpreadArgs {
  /** For pods without constraints of their own; only with type `List`. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[]
  /** Absent means `System`: softly over hosts and zones. */
  readonly defaultingType?: 'System' | 'List'
}

/** `kubescheduler.config.k8s.io/v1` InterPodAffinityArgs. */
export interface InterPodAffinityArgs {
  /** 0 to 100; absent means 1. */
  readonly hardPodAffinityWeight?: number
  readonly ignorePreferredTermsOfExistingPods?: boolean
}

/** Arguments of NodeResourcesFragmentation, which is Berth's own. */
export interface FragmentationArgs {
  /** Only these resources count. Absent or empty: every extended resource that the pod asks for, with weight 1. */
  readonly resources?: readonly {
    readonly name: string
    /** 1 to 100; absent means 1. */
    readonly weight?: number
    /** Numbers of units that pods mostly ask for. Absent: 2, 4, 8, ... up to the largest free amount of a node. */
    readonly blockSizes?: readonly number[]
  }[]
}

/** Arguments of the default profile, one field a plugin; what is absent has upstream's default. */
export interface DefaultProfileArgs {
  readonly fit?: NodeResourcesFitArgs
  readonly balanced?: BalancedAllocationArgs
  readonly nodeAffinity?: NodeAffinityArgs
  readonly podTopologySpread?: PodTopologySpreadArgs
  readonly interPodAffinity?: InterPodAffinityArgs
}

/** Arguments of the plugins that no profile has unless it names them. */
export interface OptionalPluginArgs {
  readonly fragmentation?: FragmentationArgs
}
