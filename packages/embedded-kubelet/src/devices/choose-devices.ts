import type { Random } from '@berth/types'
import { DeviceAllocationError } from './device-allocation-error.ts'

/** Returns the members in random order, like an iteration over a Go map. */
export function shuffled<T>(members: Iterable<T>, random: Random): readonly T[] {
  const keyed = [...members].map((member) => ({ member, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ member }) => member)
}

/** A container's request for devices of one resource, and the devices that the node has. */
export interface DeviceChoice {
  readonly resourceName: string
  readonly needed: number
  readonly healthy: ReadonlySet<string>
  /** Ids that containers of any pod hold. */
  readonly inUse: ReadonlySet<string>
  /** Ids that init containers of this pod hold, which complete before the container starts. */
  readonly reusable: ReadonlySet<string>
  readonly random: Random
  /** Calls GetPreferredAllocation of the plugin. Undefined if the plugin does not offer it. */
  readonly prefer?: (
    available: readonly string[],
    mustInclude: readonly string[],
    size: number,
  ) => Promise<readonly string[]>
}

/**
 * Picks device ids as the kubelet does with topology policy `none`: first those that init containers held, then those
 * that the plugin prefers, then any healthy free ones.
 *
 * @throws DeviceAllocationError when there are not enough healthy free devices, or the plugin's call fails.
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go devicesToAllocate (v1.36)
 */
export async function chooseDevices(choice: DeviceChoice): Promise<readonly string[]> {
  const { resourceName, needed, healthy, inUse, reusable, random, prefer } = choice
  if (healthy.size === 0) {
    throw new DeviceAllocationError(`no healthy devices present; cannot allocate unhealthy devices ${resourceName}`)
  }
  const chosen = new Set<string>()
  const take = (ids: Iterable<string>): void => {
    for (const id of ids) {
      if (chosen.size === needed) return
      chosen.add(id)
    }
  }
  take(
    shuffled(
      [...reusable].filter((id) => healthy.has(id)),
      random,
    ),
  )
  if (chosen.size === needed) return [...chosen]

  const available = [...healthy].filter((id) => !inUse.has(id))
  const missing = needed - chosen.size
  if (available.length < missing) {
    throw new DeviceAllocationError(
      `requested number of devices unavailable for ${resourceName}. Requested: ${missing}, Available: ${available.length}`,
    )
  }
  if (prefer !== undefined) {
    const availableIds = new Set(available)
    const preferred = await prefer(shuffled([...available, ...chosen], random), [...chosen], needed)
    take(preferred.filter((id) => availableIds.has(id)))
  }
  take(shuffled(available, random))
  return shuffled(chosen, random)
}
