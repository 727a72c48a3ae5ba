import type { Pod, PodDisruptionBudget, StatusCode } from '@berth/types'
import type { CycleInput } from '../framework/cycle.ts'

/** Settings of {@link preempt}. */
export interface PreemptOptions extends CycleInput {
  readonly disruptionBudgets?: readonly PodDisruptionBudget[]
  /**
   * Maximum number of candidates; the search starts at a node chosen by `random`. Absent: every node is searched.
   * kube-scheduler uses a tenth of the nodes, but at least 100.
   */
  readonly maxCandidates?: number
}

/** The evictions that would make room on one node. */
export interface PreemptionCandidate {
  readonly node: string
  /** Most important first. */
  readonly victims: readonly Pod[]
  /** Number of victims that a disruption budget protects. */
  readonly violations: number
}

/** Result of {@link preempt}. */
export interface Preemption {
  readonly isEligible: boolean
  /** The reason why the pod may not preempt; empty when it may. */
  readonly ineligibleReason: string
  /** Nodes on which evictions may help, sorted by name. */
  readonly potentialNodes: readonly string[]
  readonly candidates: readonly PreemptionCandidate[]
  /** Potential nodes on which evictions do not help, and why; Error where a filter failed. */
  readonly failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reasons: readonly string[] }>
  /**
   * The part that kube-scheduler adds to its message when there is no candidate: why the pod may not preempt, or the
   * reasons of the nodes. Empty when there are candidates.
   */
  readonly message: string
  /** The least harmful candidates; several when no criterion tells them apart. Empty when nothing helps. */
  readonly chosen: readonly PreemptionCandidate[]
}
