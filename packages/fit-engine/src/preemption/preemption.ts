import type { Pod, PodDisruptionBudget, StatusCode } from '@berth/types'
import type { CycleInput } from '../framework/cycle.ts'

/** Settings of {@link preempt}. */
export interface PreemptOptions extends CycleInput {
  readonly disruptionBudgets?: readonly PodDisruptionBudget[]
  /**
   * Look for this many candidates at most; the first node is chosen by `random`. Absent: look at every node.
   * kube-scheduler takes a tenth of the nodes, at least 100.
   */
  readonly maxCandidates?: number
}

/** What would have to leave one node. */
export interface PreemptionCandidate {
  readonly node: string
  /** Most important first. */
  readonly victims: readonly Pod[]
  /** How many victims a disruption budget protects. */
  readonly violations: number
}

/** Answer of {@link preempt}. */
export interface Preemption {
  readonly isEligible: boolean
  /** Why not; '' when it is. */
  readonly ineligibleReason: string
  /** Nodes on which others leaving may help, sorted by name. */
  readonly potentialNodes: readonly string[]
  readonly candidates: readonly PreemptionCandidate[]
  /** Potential nodes on which it does not help, and why; Error where a filter broke. */
  readonly failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reasons: readonly string[] }>
  /**
   * What kube-scheduler adds to its sentence when no candidate is left: why the pod may not preempt, or what the nodes
   * said; '' when there are candidates.
   */
  readonly message: string
  /** The least harmful candidates; several when no criterion tells them apart. Empty: nothing helps. */
  readonly chosen: readonly PreemptionCandidate[]
}
