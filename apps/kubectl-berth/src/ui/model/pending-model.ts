/** Something that helps, with the commands that do it. */
export interface Remedy {
  readonly sentence: string
  readonly commands: readonly string[]
}

/** A node on which the pods do not fit. */
export interface RejectingNode {
  readonly node: string
  readonly reasons: readonly string[]
}

/** Pods that wait for the same cause. */
export interface PendingGroup {
  readonly cause: string
  readonly count: number
  /** `namespace/name`, not more than {@link MAX_PODS}. */
  readonly pods: readonly string[]
  /** Says with which profile the pods were decided; empty when they were not. */
  readonly profile: string
  /** Number of evaluated nodes. */
  readonly nodeCount: number
  /** Nodes before and after each filter that rejected some. */
  readonly funnel: readonly { readonly plugin: string; readonly before: number; readonly after: number }[]
  /** Nearest to fitting first, not more than {@link MAX_NODES}. */
  readonly nodes: readonly RejectingNode[]
  /** Conditions that exclude every node, whatever the nodes offer. */
  readonly obstacles: readonly Remedy[]
  /** Cheapest first. Each was verified on a copy of the cluster. */
  readonly fixes: readonly Remedy[]
}

/** The causes of pending pods. */
export interface PendingModel {
  /** Milliseconds since the epoch: the answers know every change before. */
  readonly timeMs: number
  /** The largest group first. */
  readonly groups: readonly PendingGroup[]
  /** Says that no pod is pending, or that this is not known; empty with groups. */
  readonly summary: string
  /** Sentences about what is missing from the answers. */
  readonly notes: readonly string[]
}

/** Names of pods in a group. */
export const MAX_PODS = 100
/** Nodes in a group. */
export const MAX_NODES = 20
