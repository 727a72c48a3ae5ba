import type { Node } from '@berth/types'
import type { ObservedAmounts } from './observed-amounts.ts'

/** The keys of a node's status that the kubelet wrote last. */
export interface KubeletAmounts {
  readonly capacity: ReadonlySet<string>
  readonly allocatable: ReadonlySet<string>
}

/**
 * Returns the resource names whose amount the kubelet wrote last: resources of a running device plugin, and resources
 * that the kubelet reset to zero. Read from `metadata.managedFields` (server-side field tracking, v1.36).
 *
 * @returns Empty sets when the API server does not track fields.
 */
export function kubeletAmounts(node: Node): KubeletAmounts {
  return { capacity: kubeletKeys(node, 'f:capacity'), allocatable: kubeletKeys(node, 'f:allocatable') }
}

/**
 * Reports whether a device plugin serves the resource. A kubelet resets capacity to zero; it writes any other capacity
 * only for a device plugin. It copies capacity to allocatable, and writes less only for a device plugin with unhealthy
 * devices.
 *
 * @param recorded - The units that Berth wrote; undefined if it did not write the resource.
 * @see kubernetes v1.36 pkg/kubelet/nodestatus/setters.go (MachineInfo)
 */
export function isServedByDevicePlugin(
  resourceName: string,
  { capacity = 0n, allocatable = 0n }: ObservedAmounts,
  { kubelet, recorded }: { readonly kubelet: KubeletAmounts; readonly recorded: bigint | undefined },
): boolean {
  if (capacity === 0n) return false
  if (kubelet.capacity.has(resourceName)) return true
  // A device plugin with as many devices as Berth had written changes only allocatable.
  return kubelet.allocatable.has(resourceName) && allocatable < capacity && capacity === recorded
}

function kubeletKeys(node: Node, list: 'f:capacity' | 'f:allocatable'): ReadonlySet<string> {
  const names = new Set<string>()
  for (const entry of node.metadata.managedFields ?? []) {
    if (member(entry, 'manager') !== 'kubelet') continue
    const keys = ['f:status', list].reduce(member, member(entry, 'fieldsV1'))
    if (typeof keys !== 'object' || keys === null) continue
    for (const key of Object.keys(keys)) if (key.startsWith('f:')) names.add(key.slice(2))
  }
  return names
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(key)
}
