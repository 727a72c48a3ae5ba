import type { ClusterState } from '@berth/fit-engine'
import type { ExtenderProfile } from '@berth/scheduler-config'
import type { Random } from '@berth/types'

/** One verdict that changes: what the recording and the replay say about a node. */
export interface ChangedVerdict {
  readonly node: string
  readonly before: string
  readonly after: string
}

/** The verdicts of one call that change. */
export interface CallDifference {
  readonly nodes: readonly ChangedVerdict[]
  /** Number of changed nodes that `nodes` leaves out. */
  readonly moreNodes?: number
  /** Numbers of nodes that passed a filter call. */
  readonly passedBefore?: number
  readonly passedAfter?: number
}

/** The rules by which a replay decides. */
export interface ReplayRules {
  readonly profile: ExtenderProfile
  readonly ignoredResources: ReadonlySet<string>
  readonly random: Random
}

/** The rules of a replay and the cluster on which a call is decided again. */
export interface ReplayedOn extends ReplayRules {
  readonly state: ClusterState
  readonly nowMs: number
}

export const NO_DIFFERENCE: CallDifference = { nodes: [] }
/** The verdict on a node where the pod fits. */
export const PASSES = 'passes'
