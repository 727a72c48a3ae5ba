/**
 * Code of a plugin's status on one node. The numbers are Berth's; the names are kube-scheduler's
 * (`k8s.io/kube-scheduler/framework.Code`, v1.36).
 */
export const StatusCode = {
  Success: 0,
  Error: 1,
  /** Removing another pod may help. */
  Unschedulable: 2,
  /** Only changing the node or the pod helps. */
  UnschedulableAndUnresolvable: 3,
  Wait: 4,
  Skip: 5,
  Pending: 6,
} as const
export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode]

/** A resource of which a node has too little free. Amounts are whole units, cpu in milli. */
export interface InsufficientResource {
  readonly resourceName: string
  readonly requested: bigint
  readonly used: bigint
  readonly capacity: bigint
  /** The sentence kube-scheduler prints: "Insufficient example.com/dongle". */
  readonly reason: string
  /** The request exceeds the node's whole capacity, so removing pods cannot help. */
  readonly isUnresolvable: boolean
  /** The node does not offer it, but a DeviceClass provides it: DRA decides whether it fits. */
  readonly isDelegated?: boolean
}

/** Why one filter plugin rejected a node. */
export interface Rejection {
  /** Name of the filter plugin. */
  readonly plugin: string
  /** Sentences as kube-scheduler prints them; at least one. */
  readonly reasons: readonly string[]
  /** Set by NodeResourcesFit. */
  readonly insufficient?: readonly InsufficientResource[]
}

/** Result of the filters for one pod on one node. */
export type Verdict =
  | { readonly kind: 'fits'; readonly node: string }
  | { readonly kind: 'unschedulable'; readonly node: string; readonly rejections: readonly Rejection[] }
  | { readonly kind: 'unresolvable'; readonly node: string; readonly rejections: readonly Rejection[] }
  /** A DeviceClass (DRA) provides the named resources, so Berth does not evaluate them. */
  | { readonly kind: 'delegated'; readonly node: string; readonly resourceNames: readonly string[] }
