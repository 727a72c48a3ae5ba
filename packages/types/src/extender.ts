import type { KubernetesList } from './object-meta.ts'
import type { Node } from './node.ts'
import type { Pod } from './pod.ts'

/** Body of filter and prioritize (`k8s.io/kube-scheduler/extender/v1.ExtenderArgs`); field names are Go's. */
export interface ExtenderArgs {
  readonly Pod: Pod
  /** Set only when `nodeCacheCapable` is false. */
  readonly Nodes?: KubernetesList<Node> | null
  /** Set only when `nodeCacheCapable` is true. */
  readonly NodeNames?: readonly string[] | null
}

/** Node name -> why the pod does not fit there. */
export type FailedNodesMap = Readonly<Record<string, string>>

/** Response of filter (`ExtenderFilterResult`). */
export interface ExtenderFilterResult {
  readonly Nodes?: KubernetesList<Node> | null
  readonly NodeNames?: readonly string[] | null
  readonly FailedNodes?: FailedNodesMap
  /** Nodes on which preemption does not help. */
  readonly FailedAndUnresolvableNodes?: FailedNodesMap
  readonly Error?: string
}

/** One node's score, 0 to 10 (`HostPriority`). */
export interface HostPriority {
  readonly Host: string
  readonly Score: number
}

/** Body of bind (`ExtenderBindingArgs`). */
export interface ExtenderBindingArgs {
  readonly PodName: string
  readonly PodNamespace: string
  readonly PodUID: string
  readonly Node: string
}

/** Response of bind (`ExtenderBindingResult`). */
export interface ExtenderBindingResult {
  readonly Error?: string
}

/** Victims by pod UID (`MetaVictims`). */
export interface MetaVictims {
  readonly Pods: readonly { readonly UID: string }[]
  readonly NumPDBViolations: number
}

/** Victims as objects (`Victims`). */
export interface Victims {
  readonly Pods: readonly Pod[]
  readonly NumPDBViolations: number
}

/** Body of preempt (`ExtenderPreemptionArgs`). */
export interface ExtenderPreemptionArgs {
  readonly Pod: Pod
  readonly NodeNameToVictims?: Readonly<Record<string, Victims>>
  readonly NodeNameToMetaVictims?: Readonly<Record<string, MetaVictims>>
}

/** Response of preempt (`ExtenderPreemptionResult`). */
export interface ExtenderPreemptionResult {
  readonly NodeNameToMetaVictims: Readonly<Record<string, MetaVictims>>
}

/** The highest score an extender may give. */
export const MAX_EXTENDER_PRIORITY = 10
