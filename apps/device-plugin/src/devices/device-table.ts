import { HEALTHY, MAX_DEVICE_ID_LENGTH } from '@berth/kubelet-api'
import type { Clock, Device, Logger, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { printableLine } from '../printable.ts'
import { createDeviceIds, type DeviceIds } from './device-ids.ts'

/** With the longest ids, about 49,000 devices fit into the 4 MiB message that the kubelet accepts. */
const MAX_DEVICES = 30_000

/** A failed allocation of a device. */
export interface AllocationFailure {
  readonly reason: string
}

/** The devices of one resource as reported to the kubelet, by id. */
export interface DeviceTable {
  /** Returns the devices sorted by id; undefined before the first inventory. */
  list(): readonly Device[] | undefined
  get(id: string): Device | undefined
  /** Replaces the inventory with a source's complete list. */
  update(inventory: readonly Device[]): void
  /** Lists devices as unhealthy until {@link clearAllocationFailure}, or until they leave the inventory. */
  failAllocation(ids: readonly string[], reason: string): void
  /** Returns the last failed allocation of a device that was not cleared. */
  allocationFailure(id: string): AllocationFailure | undefined
  /** Clears a failure, unless a newer one has replaced it. */
  clearAllocationFailure(id: string, failure: AllocationFailure): void
  /** Calls `listener` after each change that the kubelet would see. The return value ends the subscription. */
  subscribe(listener: () => void): () => void
}

/**
 * Creates an empty table.
 *
 * @param options.keepMissingMs - How long a device that left the inventory stays listed as unhealthy, milliseconds.
 */
export function createDeviceTable(options: {
  readonly resourceName: string
  readonly keepMissingMs: number
  /** Ids of all resources of the node. Omit if there is one. */
  readonly deviceIds?: DeviceIds
  readonly clock: Clock
  readonly log: Logger
}): DeviceTable {
  const { resourceName, keepMissingMs, deviceIds = createDeviceIds(), clock, log } = options
  const listeners = new Set<() => void>()
  let present: ReadonlyMap<string, Device> = new Map()
  const missing = new Map<string, { readonly device: Device; readonly timer: Timer }>()
  const failures = new Map<string, AllocationFailure>()
  let listed: readonly Device[] | undefined
  let listedById: ReadonlyMap<string, Device> = new Map()

  /** Adds what this process knows about a device that its source reports as healthy. */
  function withOwnFindings(device: Device): Device {
    if (device.health !== HEALTHY) return device
    const other = deviceIds.otherOwner(resourceName, device.id)
    // Neither resource may allocate it, because the containers of both would hold one device.
    const collision = other === undefined ? undefined : { reason: `${other} offers the same id` }
    const finding = collision ?? failures.get(device.id)
    return finding === undefined ? device : { ...device, health: 'Unhealthy', ...finding }
  }

  function publish(): void {
    deviceIds.set(resourceName, new Set([...present.keys(), ...missing.keys()]))
    const gone = [...missing.values()].map(({ device }) => device)
    const next = [...[...present.values()].map(withOwnFindings), ...gone].sort((a, b) => (a.id < b.id ? -1 : 1))
    if (isDeepStrictEqual(next, listed)) return
    for (const device of next) {
      const before = listedById.get(device.id)
      if (before === undefined || before.health === device.health) continue
      const fields = { resourceName, deviceId: device.id, health: device.health, reason: device.reason }
      log.info(fields, 'Device health changed')
    }
    listed = next
    listedById = new Map(next.map((device) => [device.id, device]))
    for (const listener of listeners) listener()
  }

  function validDevices(inventory: readonly Device[]): ReadonlyMap<string, Device> {
    const devices = new Map<string, Device>()
    if (inventory.length > MAX_DEVICES) {
      log.error(
        { resourceName, found: inventory.length, listed: MAX_DEVICES },
        'Too many devices for one message to the kubelet',
      )
    }
    for (const device of inventory.slice(0, MAX_DEVICES)) {
      const reason = findIdError(device.id, devices)
      if (reason === undefined) devices.set(device.id, withPrintableReason(device))
      else
        log.error(
          { resourceName, deviceId: printableLine(device.id.slice(0, 200)), reason },
          'Ignored a device with an invalid id',
        )
    }
    return devices
  }

  deviceIds.onCollision(resourceName, publish)
  return {
    list: () => listed,
    get: (id) => listedById.get(id),

    update(inventory) {
      const next = validDevices(inventory)
      for (const id of next.keys()) {
        missing.get(id)?.timer.cancel()
        missing.delete(id)
      }
      for (const [id, device] of present) {
        if (keepMissingMs === 0 || next.has(id)) continue
        const timer = clock.setTimer(keepMissingMs, () => {
          missing.delete(id)
          publish()
        })
        missing.set(id, { device: { ...device, health: 'Unhealthy', reason: 'it disappeared' }, timer })
      }
      present = next
      for (const id of failures.keys()) if (!next.has(id)) failures.delete(id)
      publish()
    },

    failAllocation(ids, reason) {
      const failure = { reason: printableLine(reason) }
      for (const id of ids) if (present.has(id)) failures.set(id, failure)
      publish()
    },

    allocationFailure: (id) => failures.get(id),

    clearAllocationFailure(id, failure) {
      if (failures.get(id) !== failure) return
      failures.delete(id)
      publish()
    },

    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The reason appears in logs, in errors of the kubelet and in `/readyz`, and may contain names of host files. */
function withPrintableReason(device: Device): Device {
  return device.reason === undefined ? device : { ...device, reason: printableLine(device.reason) }
}

function findIdError(id: string, devices: ReadonlyMap<string, Device>): string | undefined {
  if (id === '') return 'its id is empty'
  if (id.length > MAX_DEVICE_ID_LENGTH) return `its id is longer than ${MAX_DEVICE_ID_LENGTH} characters`
  return devices.has(id) ? 'another device has the same id' : undefined
}
