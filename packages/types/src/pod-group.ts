import type { ObjectMeta } from './object-meta.ts'
import type { ResourceList } from './pod.ts'

/** The API group of a pod group: Kubernetes' own, or that of scheduler-plugins' CustomResourceDefinition. */
export type PodGroupApi = 'scheduling.k8s.io' | 'scheduling.x-k8s.io'

/** Names one pod group. Both APIs may have a group of the same name. */
export interface PodGroupRef {
  readonly api: PodGroupApi
  readonly namespace: string
  readonly name: string
}

/** `metav1.Condition`. */
export interface GroupCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
}

/** A pod group of any served version, read. */
export interface PodGroup {
  readonly ref: PodGroupRef
  /** Version of the API that the group was read from, such as `v1alpha2`. */
  readonly version: string
  readonly metadata: ObjectMeta
  /** Number of members that must be placed together; 0 for the basic policy, which places them independently. */
  readonly minCount: number
  /** Free resources that the cluster must have before the first member is placed. */
  readonly minResources: ResourceList
  /** Longest wait of placed members for the other members, milliseconds. */
  readonly timeoutMs: number
  /** Fields of the spec that Berth does not implement: it refuses the members by name. */
  readonly unsupported: readonly string[]
  readonly conditions: readonly GroupCondition[]
}
