import type { ContainerAllocateResponse } from '@berth/kubelet-api'

/** The calls to a registered device plugin, over any transport. They reject with the plugin's message. */
export interface DevicePluginEndpoint {
  /** Allocates devices for one container. */
  allocate(deviceIds: readonly string[]): Promise<ContainerAllocateResponse>
  /** Returns the ids that the plugin prefers; empty if it has no preference. */
  getPreferredAllocation(
    available: readonly string[],
    mustInclude: readonly string[],
    size: number,
  ): Promise<readonly string[]>
  /** Called before each start of a container that holds these ids. */
  preStartContainer(deviceIds: readonly string[]): Promise<void>
}
