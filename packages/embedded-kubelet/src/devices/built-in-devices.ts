import { ContainerAllocateResponse, HEALTHY } from '@berth/kubelet-api'
import type { DeviceManager } from './device-manager.ts'

/** Adds devices without a plugin: the given number of each resource, all healthy, with ids `sim-0`, `sim-1`, … */
export function addBuiltInDevices(devices: DeviceManager, numbers: Readonly<Record<string, number>>): void {
  for (const [resourceName, count] of Object.entries(numbers)) {
    const registration = devices.register(resourceName, {
      options: { preStartRequired: false, getPreferredAllocationAvailable: false },
      endpoint: {
        allocate: () => Promise.resolve(ContainerAllocateResponse.create()),
        getPreferredAllocation: () => Promise.resolve([]),
        preStartContainer: () => Promise.resolve(),
      },
    })
    registration.setDevices(
      Array.from({ length: count }, (_, i) => ({ ID: `sim-${i}`, health: HEALTHY, topology: undefined })),
    )
  }
}
