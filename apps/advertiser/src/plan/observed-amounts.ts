import { parseQuantity } from '@berth/resources'
import type { Node, ResourceList } from '@berth/types'

/** The amounts of one resource in a node's status, in whole units; undefined where the status does not list it. */
export interface ObservedAmounts {
  readonly capacity: bigint | undefined
  readonly allocatable: bigint | undefined
}

/** Returns the amounts of a resource in the status of `node`. */
export function observedAmounts(node: Node, resourceName: string): ObservedAmounts {
  return {
    capacity: readAmount(node.status?.capacity, resourceName),
    allocatable: readAmount(node.status?.allocatable, resourceName),
  }
}

/** Reports whether the node lists the resource, even with 0 units. */
export function isOffered({ capacity, allocatable }: ObservedAmounts): boolean {
  return capacity !== undefined || allocatable !== undefined
}

function readAmount(list: ResourceList | undefined, resourceName: string): bigint | undefined {
  const quantity = new Map(Object.entries(list ?? {})).get(resourceName)
  return quantity === undefined ? undefined : parseQuantity(quantity).value()
}
