import type { ObservedAmounts } from './observed-amounts.ts'
import type { Owner } from './owner.ts'
import type { ResourceUse } from './resource-use.ts'

/** A change to one resource of a node. */
export type Change =
  /** Sets capacity and allocatable to `units`. `isDrift`: Berth wrote that value before and another writer changed it. */
  | {
      readonly kind: 'set'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly units: bigint
      readonly isDrift: boolean
    }
  /** Removes the resource from capacity, allocatable and the ownership record. */
  | { readonly kind: 'withdraw'; readonly resourceName: string; readonly observed: ObservedAmounts }
  /** Removes a resource that a device plugin left at 0. Berth does not own it. */
  | { readonly kind: 'clear'; readonly resourceName: string; readonly observed: ObservedAmounts }
  /** Changes only the ownership record. `units` undefined releases the resource to its current writer. */
  | {
      readonly kind: 'record'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly units: bigint | undefined
    }

/** A declared resource that Berth does not write as declared, and the reason. */
export type Conflict =
  /** The node already offers the resource and Berth did not write it. */
  | {
      readonly kind: 'foreign'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly desired: bigint
    }
  /** The kubelet writes the resource for a device plugin. */
  | {
      readonly kind: 'device-plugin'
      readonly resourceName: string
      readonly observed: ObservedAmounts
      readonly desired: bigint
    }
  /** A DeviceClass has this extended resource name, so that a DRA driver serves it. */
  | { readonly kind: 'device-class'; readonly resourceName: string; readonly deviceClass: string }
  /** Running pods hold more than the desired units (0 when the resource is withdrawn). The node keeps `kept` units. */
  | {
      readonly kind: 'held'
      readonly resourceName: string
      readonly desired: bigint
      readonly kept: bigint
      readonly use: ResourceUse
    }
  | { readonly kind: 'ambiguous'; readonly resourceName: string; readonly paths: readonly string[] }
  | { readonly kind: 'unknown'; readonly resourceName: string; readonly reason: string }
  /** The record of the node belongs to another installation, so nothing is written to this node. */
  | { readonly kind: 'foreign-owner'; readonly owner: Owner }
  /** An annotation of the record cannot be parsed, so nothing is written to this node. */
  | { readonly kind: 'unreadable-ownership'; readonly reason: string }

/** A JSON merge patch (RFC 7386) of a node's status subresource; null removes a key. */
export interface NodeStatusPatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> }
  readonly status?: {
    readonly capacity: Readonly<Record<string, string | null>>
    readonly allocatable: Readonly<Record<string, string | null>>
  }
}

/** The units of a resource before and after it is lowered. It is withdrawn if `to` is 0 and nothing is declared. */
export interface Lowering {
  readonly from: bigint
  readonly to: bigint
}

/** The changes that bring one node to its desired amounts. */
export interface NodePlan {
  readonly nodeName: string
  /** Version of the node that the plan was made for. The patch is valid for this version only. */
  readonly resourceVersion: string | undefined
  /** Sorted by resource name. */
  readonly changes: readonly Change[]
  /** The resources that the changes lower or withdraw, by name. */
  readonly lowered: ReadonlyMap<string, Lowering>
  readonly conflicts: readonly Conflict[]
  /** Resources whose amount is not known yet, because their source has not answered. They are left as they are. */
  readonly pending: readonly string[]
  /** Resources whose change must wait. They are left as they are, which may differ from `owned`. */
  readonly delayed: readonly string[]
  /** The owner of the record before the patch; undefined for a record without an owner and for a node without a record. */
  readonly owner: Owner | undefined
  /** Whether the patch makes this installation the owner of a record that exists already. */
  readonly takesOver: boolean
  /** undefined when there is nothing to write. */
  readonly patch: NodeStatusPatch | undefined
  /** The resources that this installation owns on the node after the patch. */
  readonly owned: ReadonlyMap<string, bigint>
}

/** The plans of all nodes, and what the configuration declares for nodes that do not exist. */
export interface AllPlans {
  /** Sorted by node name. */
  readonly plans: readonly NodePlan[]
  /** Descriptions of declarations without a node; empty when each has one. */
  readonly unmatched: readonly string[]
}
