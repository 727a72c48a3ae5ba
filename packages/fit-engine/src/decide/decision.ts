import type { Rejection, StatusCode } from '@berth/types'
import type { HookMeter } from '../framework/hook-meter.ts'

/** Settings of one decision. */
export interface DecideOptions {
  /** Judge only these nodes; absent: all of them. A name that is not known is rejected. */
  readonly nodeNames?: readonly string[]
  /** Wall clock, milliseconds since the epoch; handed to the plugins. */
  readonly nowMs: number
  /** In [0, 1); handed to the plugins. */
  readonly random: () => number
  /**
   * false: filter only, `totals` and `best` stay empty. `when-several`: as kube-scheduler, which does not score where
   * there is no choice; a lone feasible node is the best then, without a total. Default: true.
   */
  readonly score?: boolean | 'when-several'
  /** true: keep the scores of each plugin, not only their weighted sum. Default: false. */
  readonly pluginScores?: boolean
  /**
   * `always` (default): every infeasible node has its rejection. `when-none-fits`: rejections are worked out only
   * when no node is feasible, which lets filters use their indexes.
   */
  readonly rejections?: 'always' | 'when-none-fits'
  /** Absent: nobody measures, and no clock is read. */
  readonly meter?: HookMeter
}

/** Why a node was turned away. */
export interface NodeRejection {
  readonly code: StatusCode
  readonly rejection: Rejection
}

/** The scores of one plugin for the feasible nodes. */
export interface PluginScores {
  readonly plugin: string
  readonly weight: number
  /** By node name; normalised, before the weight. Empty when the plugin skipped the pod, or scores were not kept. */
  readonly normalized: ReadonlyMap<string, number>
}

/** A plugin broke: the attempt ends. What filters found before a scorer broke is in the decision nevertheless. */
export interface DecisionError {
  readonly plugin: string
  readonly message: string
  readonly cause?: unknown
}

/** How many nodes one filter left of those before it. */
export interface FunnelStep {
  readonly plugin: string
  readonly before: number
  readonly after: number
}

/** Answer of {@link decide}. */
export interface Decision {
  /** Names of the nodes on which the pod fits. */
  readonly feasible: readonly string[]
  /**
   * By node name; see {@link DecideOptions.rejections}. Built at the first look at it; its numbers (`insufficient`)
   * are there only if the state has not changed by then.
   */
  readonly rejected: ReadonlyMap<string, NodeRejection>
  /** Weighted sum of the scores by feasible node; empty when scoring was not asked for or no node is feasible. */
  readonly totals: ReadonlyMap<string, number>
  /** Every feasible node with the highest total. */
  readonly best: readonly string[]
  /**
   * One of {@link Decision.best}, each as likely as the others; undefined when there is none. Quicker than naming all.
   *
   * @param random - In [0, 1).
   */
  pickBest(random: () => number): string | undefined
  /** What makes up the totals, plugin by plugin; without numbers unless {@link DecideOptions.pluginScores} is set. */
  readonly scores: readonly PluginScores[]
  /** How many nodes each filter saw and left, in order; with `when-none-fits` of the nodes that were looked at. */
  readonly funnel: readonly FunnelStep[]
  /**
   * The sentence kube-scheduler writes when no node is feasible, without the part on preemption; '' otherwise, and the
   * text of the error when there is one.
   */
  readonly message: string
  readonly error?: DecisionError
}
