import { isExtendedResourceName, parseQuantity } from '@berth/resources'
import type { ResourceList } from '@berth/types'
import type { DeviceCounts } from '../devices/device-inventory.ts'

/** Capacity and allocatable of a node, quantity texts by resource name. */
export interface NodeResources {
  readonly capacity: ReadonlyMap<string, string>
  readonly allocatable: ReadonlyMap<string, string>
}

/** Reads a resource list into a map; absent: empty. */
export function resourceTexts(list: ResourceList | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, String(quantity)]))
}

/**
 * What one status sync makes of a node: device plugin counts overwrite, a resource whose plugin stayed away is set to
 * 0 in capacity, extended resources that left capacity leave allocatable, everything else in capacity is copied less
 * what is reserved.
 *
 * @see kubernetes/kubernetes pkg/kubelet/nodestatus/setters.go MachineInfo (v1.36)
 */
export function syncResources(
  current: NodeResources,
  native: ReadonlyMap<string, string>,
  reserved: ReadonlyMap<string, string>,
  devices: DeviceCounts,
): NodeResources {
  const capacity = new Map([...current.capacity, ...native])
  for (const [name, count] of devices.capacity) capacity.set(name, String(count))
  for (const name of devices.removed) capacity.set(name, '0')

  const allocatable = new Map(current.allocatable)
  for (const name of allocatable.keys()) {
    if (!capacity.has(name) && isExtendedResourceName(name)) allocatable.delete(name)
  }
  for (const [name, quantity] of capacity) allocatable.set(name, less(quantity, reserved.get(name)))
  for (const [name, count] of devices.allocatable) allocatable.set(name, String(count))
  return { capacity, allocatable }
}

/** The members of a merge patch that turn `from` into `to`; undefined when they say the same numbers. */
export function resourcePatch(
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): Readonly<Record<string, string | null>> | undefined {
  const changes = new Map<string, string | null>()
  for (const [name, quantity] of to) {
    const before = from.get(name)
    if (before === undefined || parseQuantity(before).cmp(parseQuantity(quantity)) !== 0) changes.set(name, quantity)
  }
  for (const name of from.keys()) if (!to.has(name)) changes.set(name, null)
  return changes.size === 0 ? undefined : Object.fromEntries(changes)
}

function less(quantity: string, reserved: string | undefined): string {
  if (reserved === undefined) return quantity
  const rest = parseQuantity(quantity).sub(parseQuantity(reserved))
  return rest.cmp(parseQuantity('0')) < 0 ? '0' : rest.toString()
}
