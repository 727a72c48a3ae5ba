import { withDeadline } from '@berth/clock'
import { envName } from '@berth/device-discovery'
import { errorText } from '@berth/text/error-text'
import { HEALTHY, type ContainerAllocateResponse } from '@berth/kubelet-api'
import type { DeviceSource } from '@berth/plugin-api'
import type { Clock, Device } from '@berth/types'
import { addToAllocation, containerPaths, refuseEqualContainerPaths } from '../container/add-to-allocation.ts'
import type { ContainerConfig } from '../container/container-config.ts'
import type { DeviceTable } from '../devices/device-table.ts'
import { DeviceRequestError } from '../errors.ts'
import { printableLine } from '../printable.ts'

/**
 * Returns the devices with these ids, sorted by id and without duplicates. The kubelet sends the ids in random order.
 *
 * @param action - The action and the resource, for the error.
 * @throws DeviceRequestError BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE
 */
function knownDevices(action: string, ids: readonly string[], table: DeviceTable): readonly Device[] {
  return [...new Set(ids)].sort().map((id) => table.get(id) ?? refuseUnknown(action, id))
}

/**
 * Like {@link knownDevices}, for a call that needs what the source found: refuses devices that are listed although the
 * source does not find them.
 *
 * @throws DeviceRequestError BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE
 */
export function presentDevices(action: string, ids: readonly string[], table: DeviceTable): readonly Device[] {
  const devices = knownDevices(action, ids, table)
  const missing = devices.find(({ id }) => table.causeOf(id) === 'missing')
  return missing === undefined ? devices : refuseUnknown(action, missing.id)
}

function refuseUnknown(action: string, id: string): never {
  throw new DeviceRequestError(`${action} ${id}: the device does not exist`, {
    code: 'BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE',
    retryable: true,
  })
}

/**
 * Returns the devices that the kubelet requested, as {@link knownDevices}.
 *
 * @throws DeviceRequestError BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE, BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE
 */
function requestedDevices(resourceName: string, ids: readonly string[], table: DeviceTable): readonly Device[] {
  const devices = knownDevices(`allocate ${resourceName}`, ids, table)
  const unhealthy = devices.find(({ health }) => health !== HEALTHY)
  if (unhealthy === undefined) return devices
  const { id, reason = 'its source gives no reason' } = unhealthy
  throw new DeviceRequestError(`allocate ${resourceName} ${id}: the device is unhealthy: ${reason}`, {
    code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE',
    retryable: true,
  })
}

/** Timeout for a source's `allocate`. The kubelet has none, and admits no other pod while it waits. */
const ALLOCATE_TIMEOUT_MS = 10_000

/** Dependencies of {@link allocate}. */
export interface AllocateOptions {
  readonly table: DeviceTable
  readonly source: Pick<DeviceSource, 'allocate'>
  /** Environment, mounts, device nodes and names that the configuration gives to every container. Default: nothing. */
  readonly container?: ContainerConfig | undefined
  readonly clock: Clock
}

/**
 * Builds the response for one container: the allocation of the source, and two environment variables with the ids and
 * the paths of the devices in the container, and what the configuration adds. The result depends only on the devices, so that a repeated call is harmless.
 * When the source fails or does not answer, the devices become unhealthy, because the controller of the pod would
 * otherwise create failing pods in a loop.
 *
 * @throws DeviceRequestError as {@link requestedDevices}, and BERTH_DEVICE_PLUGIN_ALLOCATE when the source fails
 */
export async function allocate(
  resourceName: string,
  ids: readonly string[],
  { table, source, container, clock }: AllocateOptions,
): Promise<ContainerAllocateResponse> {
  const devices = requestedDevices(resourceName, ids, table)
  const sorted = devices.map(({ id }) => id)
  let own, allocation
  try {
    const inventory = table.list() ?? []
    own = await withDeadline({ clock, deadlineMs: ALLOCATE_TIMEOUT_MS }, () => source.allocate(sorted, inventory))
    allocation = addToAllocation(own, container, sorted)
    refuseEqualContainerPaths(allocation)
  } catch (error) {
    const reason = printableLine(errorText(error))
    table.failAllocation(sorted, `allocation failed: ${reason}`)
    throw new DeviceRequestError(`allocate ${resourceName} ${sorted.join(', ')}: ${reason}`, {
      code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
      cause: error,
    })
  }
  table.grant(sorted)
  const { env = {}, mounts = [], deviceNodes = [], annotations = {}, cdiDevices = [] } = allocation
  const paths = containerPaths(own)
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
