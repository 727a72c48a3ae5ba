import { errorText } from '@berth/text/error-text'
import { HEALTHY, type ContainerAllocateResponse } from '@berth/kubelet-api'
import type { DeviceSource } from '@berth/plugin-api'
import type { Allocation, Clock, Device } from '@berth/types'
import type { DeviceTable } from '../devices/device-table.ts'
import { envName } from './env-name.ts'
import { DeviceRequestError } from '../errors.ts'
import { printableLine } from '../printable.ts'
import { withDeadline } from '../with-deadline.ts'

/**
 * Returns the devices that the kubelet requested, sorted by id. The kubelet sends the ids in random order.
 *
 * @throws DeviceRequestError BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE, BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE
 */
export function requestedDevices(resourceName: string, ids: readonly string[], table: DeviceTable): readonly Device[] {
  return [...new Set(ids)].sort().map((id) => {
    const device = table.get(id)
    const action = `allocate ${resourceName} ${id}`
    if (device === undefined) {
      throw new DeviceRequestError(`${action}: the device does not exist`, {
        code: 'BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE',
        retryable: true,
      })
    }
    if (device.health !== HEALTHY) {
      throw new DeviceRequestError(
        `${action}: the device is unhealthy: ${device.reason ?? 'its source gives no reason'}`,
        {
          code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE',
          retryable: true,
        },
      )
    }
    return device
  })
}

/** Timeout for a source's `allocate`. The kubelet has none, and admits no other pod while it waits. */
const ALLOCATE_TIMEOUT_MS = 10_000

/** Dependencies of {@link allocate}. */
export interface AllocateOptions {
  readonly table: DeviceTable
  readonly source: Pick<DeviceSource, 'allocate'>
  readonly clock: Clock
}

/**
 * Builds the response for one container: the allocation of the source, and two environment variables with the ids and
 * the paths in the container. The result depends only on the devices, so that a repeated call is harmless.
 * When the source fails or does not answer, the devices become unhealthy, because the controller of the pod would
 * otherwise create failing pods in a loop.
 *
 * @throws DeviceRequestError as {@link requestedDevices}, and BERTH_DEVICE_PLUGIN_ALLOCATE when the source fails
 */
export async function allocate(
  resourceName: string,
  ids: readonly string[],
  { table, source, clock }: AllocateOptions,
): Promise<ContainerAllocateResponse> {
  const devices = requestedDevices(resourceName, ids, table)
  const sorted = devices.map(({ id }) => id)
  let allocation
  try {
    const inventory = table.list() ?? []
    allocation = await withDeadline({ clock, deadlineMs: ALLOCATE_TIMEOUT_MS }, () =>
      source.allocate(sorted, inventory),
    )
    refuseEqualContainerPaths(allocation)
  } catch (error) {
    const reason = printableLine(errorText(error))
    table.failAllocation(sorted, `allocation failed: ${reason}`)
    throw new DeviceRequestError(`allocate ${resourceName} ${sorted.join(', ')}: ${reason}`, {
      code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
      cause: error,
    })
  }
  const { env = {}, mounts = [], deviceNodes = [], annotations = {}, cdiDevices = [] } = allocation
  const paths = [...deviceNodes, ...mounts].map(({ containerPath }) => containerPath)
  const suffix = envName(resourceName)
  return {
    envs: {
      [`BERTH_DEVICES_${suffix}`]: sorted.join(','),
      ...(paths.length > 0 && { [`BERTH_PATHS_${suffix}`]: paths.join(',') }),
      ...env,
    },
    mounts: mounts.map((mount) => ({ ...mount })),
    devices: deviceNodes.map((node) => ({ ...node })),
    annotations: { ...annotations },
    cdiDevices: cdiDevices.map((name) => ({ name })),
  }
}

/** The runtime mounts only one of two host paths with one container path. */
function refuseEqualContainerPaths({ deviceNodes = [], mounts = [] }: Allocation): void {
  const hostPaths = new Map<string, string>()
  for (const { hostPath, containerPath } of [...deviceNodes, ...mounts]) {
    const first = hostPaths.get(containerPath)
    if (first !== undefined && first !== hostPath) {
      throw new Error(`${first} and ${hostPath} have the same container path ${containerPath}`)
    }
    hostPaths.set(containerPath, hostPath)
  }
}
