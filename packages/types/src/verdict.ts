/**
 * Code of a plugin's status on one node. The numbers are Berth's; the names are kube-scheduler's
 * (`k8s.io/kube-scheduler/framework.Code`, v1.36).
 */
export const StatusCode = {
  Success: 0,
  Error: 1,
  /** Another pod leaving may help. */
  Unschedulable: 2,
  /** Only changing the node or the pod helps. */
  UnschedulableAndUnresolvable: 3,
  Wait: 4,
  Skip: 5,
  Pending: 6,
} as const
export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode]

/** One resource of which a node has too little left. Amounts are whole units; cpu is in milli. */
export interface InsufficientResource {
  readonly resourceName: string
  readonly requested: bigint
  readonly used: bigint
  readonly capacity: bigint
  /** The sentence kube-scheduler prints: "Insufficient example.com/dongle". */
  readonly reason: string
  /** The request is above the node's whole capacity, so no pod leaving can help. */
  readonly isUnresolvable: boolean
  /** The node does not offer it, but a DeviceClass backs the name: whether it fits is for DRA to say. */
  readonly isDelegated?: boolean
}

/** Why one filter plugin turned a node away. */
export interface Rejection {
  /** Name of the filter plugin. */
  readonly plugin: string
  /** Sentences as kube-scheduler prints them; at least one. */
  readonly reasons: readonly string[]
  /** Set by NodeResourcesFit. */
  readonly insufficient?: readonly InsufficientResource[]
}

/** What the filters say of one pod on one node. */
export type Verdict =
  | { readonly kind: 'fits'; readonly node: string }
  | { readonly kind: 'unschedulable'; readonly node: string; readonly rejections: readonly Rejection[] }
  | { readonly kind: 'unresolvable'; readonly node: string; readonly rejections: readonly Rejection[] }
  /** The named resources are backed by a DeviceClass (DRA): not ours to judge. */
  | { readonly kind: 'delegated'; readonly node: string; readonly resourceNames: readonly string[] }
