/** The part of a PodResources message that the judge reads. */
export interface PodDevices {
  readonly name: string
  readonly namespace: string
  readonly containers: readonly {
    readonly name: string
    readonly devices: readonly { readonly resourceName: string; readonly deviceIds: readonly string[] }[]
  }[]
}

/** The devices of one node that exist: resource, id, and whether it is healthy. */
export type Devices = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** Reads the devices of one node from the JSON of all nodes. */
export function devicesOn(node: string, json = '{}'): Devices {
  return (JSON.parse(json) as Readonly<Record<string, Devices>>)[node] ?? {}
}

/** Returns a sentence for each device of a node that two containers hold, or that does not exist. */
export function holderFaults(node: string, pods: readonly PodDevices[], devices: Devices): readonly string[] {
  const holders = new Map<string, string>()
  const faults: string[] = []
  for (const pod of pods) {
    for (const container of pod.containers) {
      const holder = `${pod.namespace}/${pod.name} ${container.name}`
      const held = container.devices.flatMap(({ resourceName, deviceIds }) =>
        deviceIds.map((id) => ({ key: `${resourceName} ${id}`, exists: devices[resourceName]?.[id] !== undefined })),
      )
      // A device with several NUMA nodes has several entries.
      for (const [key, exists] of new Map(held.map((each) => [each.key, each.exists]))) {
        const other = holders.get(key)
        if (other !== undefined) faults.push(`${other} and ${holder} hold ${key} on ${node}`)
        if (!exists)
          faults.push(`${holder} holds ${key} on ${node}, which does not exist, so another may hold the same device`)
        holders.set(key, holder)
      }
    }
  }
  return faults
}
