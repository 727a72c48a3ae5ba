import type { StatusCode, Taint, Toleration, Verdict } from '@berth/types'
import type { Decision, FunnelStep } from '../decide/decision.ts'
import type { VolumeFinding } from './volumes/volume-finding.ts'

/** A pod that holds units of a resource on a node. */
export interface Holder {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Whole units; cpu in milli. */
  readonly amount: bigint
  readonly priority: number
}

/** Usage on one node of a resource that the pod requests. Whole units; cpu in milli. */
export interface ResourceUsage {
  readonly resourceName: string
  readonly asks: bigint
  /** The node's allocatable amount. */
  readonly has: bigint
  readonly used: bigint
  /** `has` minus `used`; negative when more is used than allocatable. */
  readonly free: bigint
  /** The largest holders, at most 10, largest first. */
  readonly heldBy: readonly Holder[]
}

/** Status of one filter, run alone, for a node. */
export interface FilterFinding {
  readonly plugin: string
  readonly code: StatusCode
  readonly reasons: readonly string[]
}

/** The exact label, taint, term, port or volume for which a filter rejects a node. */
export interface NodeCause {
  readonly plugin: string
  /** Does not name the node. */
  readonly sentence: string
}

/** Explanation of the pod on one node. */
export interface NodeExplanation {
  readonly node: string
  readonly verdict: Verdict
  /** Every filter of the profile, in order, also those after the first that rejects the node. */
  readonly filters: readonly FilterFinding[]
  /** The causes of every filter that rejects the node, in the order of the filters. Empty when the pod fits. */
  readonly causes: readonly NodeCause[]
  readonly resources: readonly ResourceUsage[]
  /** Reasons why the volumes and storage classes of the pod's claims do not match the node. Empty when VolumeBinding and VolumeZone accept it. */
  readonly volumes: readonly VolumeFinding[]
}

/** Fields of every proposed change. */
interface Proposal {
  /** Cost for comparing fixes of one explanation. */
  readonly cost: number
  /** The proposal as a sentence for users. */
  readonly sentence: string
  /** The engine ran on the changed snapshot and confirmed that the pod fits. */
  readonly verified: true
  /** The node where the pod then fits. */
  readonly node: string
}

/** Request less. */
export interface LowerRequestFix extends Proposal {
  readonly kind: 'lower-request'
  /** Whole units; cpu in milli. */
  readonly changes: readonly { readonly resourceName: string; readonly from: bigint; readonly to: bigint }[]
}

/** Evict pods of lower or equal priority. */
export interface EvictFix extends Proposal {
  readonly kind: 'evict'
  readonly pods: readonly {
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly priority: number
  }[]
}

/** Increase the capacity of a node. */
export interface AddCapacityFix extends Proposal {
  readonly kind: 'add-capacity'
  /** Whole units to add; cpu in milli. */
  readonly additions: readonly { readonly resourceName: string; readonly amount: bigint }[]
}

/** Add tolerations to the pod. */
export interface TolerateFix extends Proposal {
  readonly kind: 'tolerate'
  readonly tolerations: readonly Toleration[]
}

/** Remove taints from a node. */
export interface RemoveTaintFix extends Proposal {
  readonly kind: 'remove-taint'
  readonly taints: readonly Taint[]
}

/** Uncordon a node. */
export interface UncordonFix extends Proposal {
  readonly kind: 'uncordon'
}

/** Give a node the labels that the pod requires. */
export interface AddLabelFix extends Proposal {
  readonly kind: 'add-label'
  readonly labels: Readonly<Record<string, string>>
}

/** Drop or soften one rule of the pod. */
export interface RelaxRuleFix extends Proposal {
  readonly kind: 'relax-rule'
  /** Path of the field in the pod, such as `spec.nodeSelector["disk"]`. */
  readonly field: string
  /** The value to set; undefined to remove the field. */
  readonly value: string | undefined
}

/** A change after which the pod fits. More kinds may be added: show the sentence of an unknown kind. */
export type Fix =
  | LowerRequestFix
  | EvictFix
  | AddCapacityFix
  | TolerateFix
  | RemoveTaintFix
  | UncordonFix
  | AddLabelFix
  | RelaxRuleFix

/** Result of {@link explain}. */
export interface Explanation {
  readonly decision: Decision
  /** Sorted by node name. */
  readonly nodes: readonly NodeExplanation[]
  /** One step for each filter, in order; empty when a preFilter rejected the pod. */
  readonly funnel: readonly FunnelStep[]
  /** Cheapest first; empty when the pod fits or no change that the engine knows helps. */
  readonly fixes: readonly Fix[]
}
