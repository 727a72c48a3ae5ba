import { isExtendedResourceName, parseQuantity } from '@berth/resources'
import type { ResourceList } from '@berth/types'
import type { DeviceCounts } from '../devices/device-inventory.ts'

/** Capacity and allocatable of a node: quantities by resource name. */
export interface NodeResources {
  readonly capacity: ReadonlyMap<string, string>
  readonly allocatable: ReadonlyMap<string, string>
}

/** Returns a resource list as a map. */
export function quantitiesOf(list: ResourceList | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, String(quantity)]))
}

/**
 * Returns the resources that one status sync writes:
 * - Counts of device plugins overwrite capacity and allocatable.
 * - The capacity of a resource without a connected plugin for the grace period is 0.
 * - Extended resources that are not in capacity are removed from allocatable.
 * - All other capacity, less the reserved amount, is allocatable.
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
  for (const [name, quantity] of capacity) allocatable.set(name, subtract(quantity, reserved.get(name)))
  for (const [name, count] of devices.allocatable) allocatable.set(name, String(count))
  return { capacity, allocatable }
}

/** Returns a merge patch that turns `from` into `to`; undefined when the quantities are equal. */
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

/** Returns the difference of two quantities; `0` when it would be negative. */
export function subtract(quantity: string, reserved: string | undefined): string {
  if (reserved === undefined) return quantity
  const difference = parseQuantity(quantity).sub(parseQuantity(reserved))
  return difference.cmp(parseQuantity('0')) < 0 ? '0' : difference.toString()
}
