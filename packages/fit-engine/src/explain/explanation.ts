import type { StatusCode, Verdict } from '@berth/types'
import type { Decision, FunnelStep } from '../decide/decision.ts'

/** A pod that holds units of a resource on a node. */
export interface Holder {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Whole units; cpu in milli. */
  readonly amount: bigint
  readonly priority: number
}

/** One resource that the pod asks for, as it stands on one node. Whole units; cpu in milli. */
export interface ResourceStanding {
  readonly resourceName: string
  readonly asks: bigint
  /** What the node offers. */
  readonly has: bigint
  readonly used: bigint
  /** What is left; negative when more is used than offered. */
  readonly free: bigint
  /** Largest holder first. */
  readonly heldBy: readonly Holder[]
}

/** What one filter, asked alone, says of a node. */
export interface FilterFinding {
  readonly plugin: string
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** Everything known of the pod on one node. */
export interface NodeExplanation {
  readonly node: string
  readonly verdict: Verdict
  /** Every filter of the profile, in its order, also those after the first that failed. */
  readonly filters: readonly FilterFinding[]
  readonly resources: readonly ResourceStanding[]
}

/** What every proposed change has. */
interface Proposal {
  /** What it costs, comparable between fixes of one explanation; cheaper first. */
  readonly cost: number
  /** One sentence for a person. */
  readonly sentence: string
  /** The engine was run on the changed snapshot, and the pod fits there. */
  readonly verified: true
  /** Where the pod fits then. */
  readonly node: string
}

/** Ask for less. */
export interface LowerRequestFix extends Proposal {
  readonly kind: 'lower-request'
  readonly changes: readonly { readonly resourceName: string; readonly from: bigint; readonly to: bigint }[]
}

/** Let pods of lower or equal priority leave. */
export interface EvictFix extends Proposal {
  readonly kind: 'evict'
  readonly pods: readonly {
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly priority: number
  }[]
}

/** Let a node offer more. */
export interface AddCapacityFix extends Proposal {
  readonly kind: 'add-capacity'
  readonly additions: readonly { readonly resourceName: string; readonly amount: bigint }[]
}

/** A change after which the pod fits. New kinds may come: handle unknown ones by their sentence. */
export type Fix = LowerRequestFix | EvictFix | AddCapacityFix

/** Answer of {@link explain}. */
export interface Explanation {
  readonly decision: Decision
  /** Sorted by node name. */
  readonly nodes: readonly NodeExplanation[]
  /** One step a filter, in order; empty when a plugin rejected the pod before any node was looked at. */
  readonly funnel: readonly FunnelStep[]
  /** Cheapest first; empty when the pod fits or nothing that the engine knows would help. */
  readonly fixes: readonly Fix[]
}
