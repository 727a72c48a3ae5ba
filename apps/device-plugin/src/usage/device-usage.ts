import type { PodDevices } from '../node-helper/pod-devices.ts'

/** Number of devices of a resource that one pod holds. */
export interface PodCount {
  readonly resourceName: string
  readonly namespace: string
  readonly pod: string
  readonly devices: number
}

/** A device that two pods hold. */
export interface DoubleAssignment {
  readonly resourceName: string
  readonly id: string
  /** `namespace/pod`, sorted. */
  readonly pods: readonly string[]
}

/** Who holds the devices of a node. */
export interface DeviceUsage {
  /** Returns the containers that hold a device as `namespace/pod/container`, sorted. Empty if it is free. */
  holders(resourceName: string, id: string): readonly string[]
  /** Returns the ids of a resource that containers hold. */
  heldIds(resourceName: string): readonly string[]
  readonly perPod: readonly PodCount[]
  readonly doubleAssigned: readonly DoubleAssignment[]
}

interface HeldDevice {
  readonly resourceName: string
  readonly id: string
  /** `namespace/pod`. */
  readonly pods: Set<string>
  /** `namespace/pod/container`. */
  readonly containers: Set<string>
}

/** No device is held. */
export const NO_USAGE: DeviceUsage = { holders: () => [], heldIds: () => [], perPod: [], doubleAssigned: [] }

/**
 * Summarizes the devices that containers hold.
 *
 * @param resourceNames - The resources of this plugin. Others are left out.
 */
export function deviceUsage(held: readonly PodDevices[], resourceNames: ReadonlySet<string>): DeviceUsage {
  const heldDevices = new Map<string, HeldDevice>()
  const idsByPod = new Map<string, { readonly of: Omit<PodCount, 'devices'>; readonly ids: Set<string> }>()
  const deviceKey = (resourceName: string, id: string): string => `${resourceName} ${id}`

  for (const { namespace, pod, container, resourceName, ids } of held) {
    if (!resourceNames.has(resourceName)) continue
    const podName = `${namespace}/${pod}`
    const podKey = `${resourceName} ${podName}`
    const count = idsByPod.get(podKey) ?? { of: { resourceName, namespace, pod }, ids: new Set() }
    idsByPod.set(podKey, count)
    for (const id of ids) {
      const key = deviceKey(resourceName, id)
      count.ids.add(id)
      const device = heldDevices.get(key) ?? { resourceName, id, pods: new Set(), containers: new Set() }
      heldDevices.set(key, device)
      device.pods.add(podName)
      device.containers.add(`${podName}/${container}`)
    }
  }

  return {
    holders: (resourceName, id) => [...(heldDevices.get(deviceKey(resourceName, id))?.containers ?? [])].sort(),
    heldIds: (name) =>
      [...heldDevices.values()].filter(({ resourceName }) => resourceName === name).map(({ id }) => id),
    perPod: [...idsByPod.values()].map(({ of, ids }) => ({ ...of, devices: ids.size })),
    // The containers of one pod may share a device: an app container gets those of the init containers.
    doubleAssigned: [...heldDevices.values()].flatMap(({ resourceName, id, pods }) =>
      pods.size > 1 ? [{ resourceName, id, pods: [...pods].sort() }] : [],
    ),
  }
}
