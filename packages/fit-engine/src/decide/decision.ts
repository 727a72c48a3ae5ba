import type { Rejection, StatusCode } from '@berth/types'
import type { EvaluationCounter, HookMeter } from '../framework/hook-meter.ts'
import type { FailurePoint } from '../framework/plugin-failure.ts'

/** Settings of one decision. */
export interface DecideOptions {
  /** Evaluates only these nodes; absent: all nodes. An unknown name is rejected. The list must not be changed later. */
  readonly nodeNames?: readonly string[]
  /** Wall clock, milliseconds since the epoch; passed to the plugins. */
  readonly nowMs: number
  /** Returns a number in [0, 1); passed to the plugins. */
  readonly random: () => number
  /**
   * false: filter only; `totals` and `best` stay empty. `when-several`: like kube-scheduler, do not score a single
   * feasible node; it is then the best one and has no total. Default: true.
   */
  readonly score?: boolean | 'when-several'
  /** Whether to keep the scores of each plugin besides their weighted sum. Default: false. */
  readonly pluginScores?: boolean
  /**
   * `always` (default): every infeasible node has a rejection. `when-none-fits`: rejections are recorded only when no
   * node is feasible, so that filters can use their indexes.
   */
  readonly rejections?: 'always' | 'when-none-fits'
  /** Omit to skip plugin timing. */
  readonly meter?: HookMeter
  /** Omit to skip counting evaluations. */
  readonly evaluations?: EvaluationCounter
}

/** The rejection of one node. */
export interface NodeRejection {
  readonly code: StatusCode
  readonly rejection: Rejection
}

/** Nodes that were rejected alike. */
export interface RejectionGroup {
  /** The plugin that rejected; names separated by ', ' when several preFilters together exclude the nodes. */
  readonly plugin: string
  readonly code: StatusCode
  readonly reasons: readonly string[]
  /** Number of nodes, at least 1. */
  readonly count: number
}

/** Nodes that were rejected alike, by name. */
export interface RejectedNodeGroup extends NodeRejection {
  /** At least one. */
  readonly nodeNames: readonly string[]
}

/** The scores of one plugin for the feasible nodes. */
export interface PluginScores {
  readonly plugin: string
  readonly weight: number
  /** By node name, normalized, before the weight. Empty when the plugin skipped the pod or scores were not kept. */
  readonly normalized: ReadonlyMap<string, number>
}

/** A plugin failure, which ends the attempt. When a scorer fails, the decision still has the results of the filters. */
export interface DecisionError {
  readonly plugin: string
  /** Extension point of the hook that failed. */
  readonly point: FailurePoint
  readonly message: string
  readonly cause?: unknown
}

/** Numbers of nodes before and after one filter. */
export interface FunnelStep {
  readonly plugin: string
  readonly before: number
  readonly after: number
}

/** Result of {@link decide}. */
export interface Decision {
  /** Names of the nodes on which the pod fits. Built on first use. */
  readonly feasible: readonly string[]
  /** Number of {@link Decision.feasible}; costs nothing. */
  readonly feasibleCount: number
  /**
   * By node name; see {@link DecideOptions.rejections}. Built on first use. The missing amounts (`insufficient`) are
   * present only if the state has not changed between the decision and the first use.
   */
  readonly rejected: ReadonlyMap<string, NodeRejection>
  /**
   * The different rejections, each with the number of nodes that have it; their sum is the size of {@link
   * Decision.rejected}. Cheap: the number of groups does not depend on the number of nodes.
   */
  readonly rejectionGroups: readonly RejectionGroup[]
  /**
   * Returns each of the different rejections with its nodes. The missing amounts (`insufficient`) are those of the
   * first node of the group. Much faster than building {@link Decision.rejected}.
   */
  rejectedNodeGroups(): readonly RejectedNodeGroup[]
  /** Returns the code of the node's rejection without building {@link Decision.rejected}; undefined if it has none. */
  rejectionCode(nodeName: string): StatusCode | undefined
  /** Weighted sum of the scores by feasible node; empty without scoring and when no node is feasible. */
  readonly totals: ReadonlyMap<string, number>
  /**
   * Returns {@link Decision.totals} of these nodes in their order, 0 for a node without a total. For the list of
   * {@link DecideOptions.nodeNames} itself this is much faster than building the map.
   */
  totalsOf(nodeNames: readonly string[]): Float64Array
  /** Every feasible node with the highest total. */
  readonly best: readonly string[]
  /**
   * Returns one of {@link Decision.best} at random; undefined when there is none. Faster than building the whole list.
   *
   * @param random - Returns a number in [0, 1).
   */
  pickBest(random: () => number): string | undefined
  /** The scores of each plugin; without values unless {@link DecideOptions.pluginScores} is set. */
  readonly scores: readonly PluginScores[]
  /**
   * Numbers of nodes before and after each filter, in order. With `when-none-fits`, an index may exclude nodes before
   * the first filter; they are not counted.
   */
  readonly funnel: readonly FunnelStep[]
  /**
   * The message of `error` if there is one. Otherwise, when no node is feasible, kube-scheduler's message without the
   * part on preemption. Otherwise empty.
   */
  readonly message: string
  readonly error?: DecisionError
  /**
   * Gives the arrays of the feasible nodes and of the totals to the next decision. With many nodes, allocating new ones
   * takes longer than filling them. Calling it is optional. Afterwards, do not read `feasible`, `totals`, `totalsOf`,
   * `best`, `pickBest` and `scores`: where the arrays are needed, a TypeError is thrown.
   */
  release(): void
}
