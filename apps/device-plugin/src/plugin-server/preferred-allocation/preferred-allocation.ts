import type { Device } from '@berth/types'
import { setImmediate } from 'node:timers/promises'
import { numaGroups } from './numa-groups.ts'
import type { Pace } from './pace.ts'
import { physicalOf } from './physical-of.ts'
import { takeByPolicy, type AllocationPolicy } from './take-by-policy.ts'

/** A preferred allocation request of the kubelet for one container. */
export interface PreferredAllocationRequest {
  readonly available: readonly string[]
  readonly mustInclude: readonly string[]
  readonly size: number
}

/** Dependencies of {@link preferredAllocation}. */
export interface PreferredAllocationOptions {
  /** All devices of the resource, sorted by id. */
  readonly inventory: readonly Device[]
  /** Default: pack. */
  readonly policy?: AllocationPolicy
  /** Lets other work of the process run. Called after every {@link YIELD_INTERVAL} devices. */
  readonly yieldToOthers?: () => Promise<unknown>
}

/** Number of devices that are handled without a pause: less than a millisecond. */
export const YIELD_INTERVAL = 1_000

/**
 * Chooses the devices that a container should get. If one NUMA node has enough free devices, all come from the node with
 * the fewest free devices that still fits, so that larger groups stay whole. Otherwise they come from as few nodes as
 * possible. Devices without a NUMA node come last. Within a node, the policy decides.
 *
 * @returns At most `size` ids, sorted; empty means no preference. Never throws, because an error fails the pod.
 */
export async function preferredAllocation(
  { available, mustInclude, size }: PreferredAllocationRequest,
  { inventory, policy = 'pack', yieldToOthers = () => setImmediate() }: PreferredAllocationOptions,
): Promise<readonly string[]> {
  const pace = { interval: YIELD_INTERVAL, yieldToOthers }
  const required = new Set(mustInclude.slice(0, Math.max(0, size)))
  const { free, chosen } = await splitDevices({ available, required, inventory, pace })
  if (policy !== 'distinct') await choose(free, { size, policy, chosen, pace })
  else {
    const used = new Set(chosen.values().map(physicalOf))
    // A map keeps the last of equal keys, and the device with the lowest id should stay.
    const byPhysical = new Map(free.toReversed().map((device) => [physicalOf(device), device]))
    const firstOfEach = new Set(byPhysical.values().filter((device) => !used.has(physicalOf(device))))
    await choose(
      free.filter((device) => firstOfEach.has(device)),
      { size, policy, chosen, pace },
    )
    await choose(
      free.filter(({ id }) => !chosen.has(id)),
      { size, policy, chosen, pace },
    )
  }
  return [...chosen.keys()].sort()
}

/** Looks up the devices in the order of the inventory, because the kubelet sends ids in random order. */
async function splitDevices(options: {
  readonly available: readonly string[]
  readonly required: ReadonlySet<string>
  readonly inventory: readonly Device[]
  readonly pace: Pace
}): Promise<{ readonly free: readonly Device[]; readonly chosen: Map<string, Device> }> {
  const { available, required, inventory, pace } = options
  const wanted = new Set(available).difference(required)
  const free: Device[] = []
  const chosen = new Map<string, Device>()
  const known = new Set<string>()
  for (const [index, device] of inventory.entries()) {
    if (index % pace.interval === pace.interval - 1) await pace.yieldToOthers()
    if (required.has(device.id)) chosen.set(device.id, device)
    else if (wanted.has(device.id)) free.push(device)
    else continue
    known.add(device.id)
  }
  // The kubelet may have an older list. It does not matter much which of these it gets.
  for (const id of required) if (!known.has(id)) chosen.set(id, { id, health: 'Unhealthy' })
  for (const id of [...wanted.difference(known)].sort()) free.push({ id, health: 'Unhealthy' })
  return { free, chosen }
}

/** Adds free devices to the chosen ones until there are `size`, or no free device remains. */
async function choose(
  free: readonly Device[],
  options: {
    readonly size: number
    readonly policy: AllocationPolicy
    readonly chosen: Map<string, Device>
    readonly pace: Pace
  },
): Promise<void> {
  const { size, policy, chosen, pace } = options
  const groups = await numaGroups(free, chosen.values(), pace)
  while (chosen.size < size) {
    const missing = size - chosen.size
    const group = groups.takeBest(missing)
    const candidates = group.filter(({ id }) => !chosen.has(id))
    if (candidates.length === 0) return
    for (const device of takeByPolicy(policy, { candidates, chosen, count: missing })) {
      chosen.set(device.id, device)
      groups.markChosen(device)
    }
    await pace.yieldToOthers()
  }
}
