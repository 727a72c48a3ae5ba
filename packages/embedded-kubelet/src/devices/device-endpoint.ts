import type { ContainerAllocateResponse } from '@berth/kubelet-api'

/** What the device manager can ask of a registered device plugin, whatever carries it. Calls reject with the plugin's words. */
export interface DevicePluginEndpoint {
  /** One Allocate call for one container. */
  allocate(deviceIds: readonly string[]): Promise<ContainerAllocateResponse>
  /** Ids that the plugin would take; empty: no opinion. */
  getPreferredAllocation(
    available: readonly string[],
    mustInclude: readonly string[],
    size: number,
  ): Promise<readonly string[]>
  /** Called before each start of a container that holds these ids. */
  preStartContainer(deviceIds: readonly string[]): Promise<void>
}
