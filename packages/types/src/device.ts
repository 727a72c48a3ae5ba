/** Health of a device. The kubelet treats every other text as unhealthy. */
export type DeviceHealth = 'Healthy' | 'Unhealthy'

/** One device that a device source discovered. */
export interface Device {
  /** Unique on the node across resources, stable across restarts, at most 63 characters. */
  readonly id: string
  readonly health: DeviceHealth
  /** One sentence about why the device is unhealthy. */
  readonly reason?: string
  /** NUMA nodes of the device. Empty or absent means no preference. */
  readonly numaNodes?: readonly number[]
  /**
   * Equal for devices that share hardware, such as the partitions of a GPU: the allocation policies of the device plugin
   * consider it. Default: the first path, or the id.
   */
  readonly physicalId?: string
  /** Host paths of the device, for messages and allocation. Empty for virtual devices. */
  readonly paths?: readonly string[]
}

/** A host path mounted into the container. */
export interface DeviceMount {
  readonly hostPath: string
  readonly containerPath: string
  readonly readOnly: boolean
}

/** A device node made available inside the container. */
export interface DeviceNode {
  readonly hostPath: string
  readonly containerPath: string
  /** Subset of `r`, `w`, `m`. */
  readonly permissions: string
}

/** Environment, mounts, device nodes, annotations and CDI names that a container gets with its devices. */
export interface Allocation {
  readonly env?: Readonly<Record<string, string>>
  readonly mounts?: readonly DeviceMount[]
  readonly deviceNodes?: readonly DeviceNode[]
  readonly annotations?: Readonly<Record<string, string>>
  /** Fully qualified CDI names: `vendor.com/class=device`. */
  readonly cdiDevices?: readonly string[]
}
