import { isExtendedResourceName, resourceAmounts } from '@berth/resources'
import type { Node } from '@berth/types'
import { managersOf } from './managed-fields.ts'

/** An extended resource on one node. Whole units. */
export interface OfferedResource {
  readonly resourceName: string
  readonly node: string
  readonly capacity: bigint
  readonly allocatable: bigint
  /** Field managers that own the amount in the node's status: `kubelet` for a device plugin. Empty without managed fields. */
  readonly managers: readonly string[]
}

/** Returns the extended resources of nodes, also those of which they have none left. */
export function offeredResources(nodes: readonly Node[]): readonly OfferedResource[] {
  return nodes.flatMap(({ metadata, status }) => {
    const capacity = resourceAmounts(status?.capacity)
    const allocatable = resourceAmounts(status?.allocatable)
    const names = [...new Set([...capacity.keys(), ...allocatable.keys()])].filter(isExtendedResourceName)
    return names.map((resourceName) => ({
      resourceName,
      node: metadata.name ?? '',
      capacity: capacity.get(resourceName) ?? 0n,
      allocatable: allocatable.get(resourceName) ?? 0n,
      managers: [
        ...new Set([
          ...managersOf(metadata, 'status', 'capacity', resourceName),
          ...managersOf(metadata, 'status', 'allocatable', resourceName),
        ]),
      ],
    }))
  })
}
