import type { ObjectMeta } from './object-meta.ts'
import type { ResourceList } from './pod.ts'

/** `v1.Taint`. */
export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

/** `v1.NodeCondition`. */
export interface NodeCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
}

/** `v1.NodeStatus`, cut. */
export interface NodeStatus {
  readonly capacity?: ResourceList
  readonly allocatable?: ResourceList
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[]
  readonly nodeInfo?: Readonly<Record<string, string>>
  /** Features of the kubelet, sorted (KEP-5328). */
  readonly declaredFeatures?: readonly string[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly { readonly name: string; readonly devicePath: string }[]
}

/** `v1.Node`. */
export interface Node {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly spec?: {
    readonly unschedulable?: boolean
    readonly taints?: readonly Taint[]
    readonly podCIDR?: string
    readonly podCIDRs?: readonly string[]
    readonly providerID?: string
  }
  readonly status?: NodeStatus
}
