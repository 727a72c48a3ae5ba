/** Health as the kubelet reads it: any other text counts as unhealthy. */
export type DeviceHealth = 'Healthy' | 'Unhealthy'

/** One countable thing that a device source found. */
export interface Device {
  /** Unique on the node across resources, stable across restarts, at most 63 characters. */
  readonly id: string
  readonly health: DeviceHealth
  /** Why it is unhealthy, one sentence. */
  readonly reason?: string
  /** NUMA nodes that it is near to; empty or absent: no preference. */
  readonly numaNodes?: readonly number[]
  /** Host paths behind it, for people and for allocation; empty for virtual devices. */
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

/** What a container that was given devices gets. */
export interface Allocation {
  readonly env?: Readonly<Record<string, string>>
  readonly mounts?: readonly DeviceMount[]
  readonly deviceNodes?: readonly DeviceNode[]
  readonly annotations?: Readonly<Record<string, string>>
  /** Fully qualified CDI names: `vendor.com/class=device`. */
  readonly cdiDevices?: readonly string[]
}
