import { HEALTHY, MAX_DEVICE_ID_LENGTH } from '@berth/kubelet-api'
import type { ProbeResult } from '@berth/plugin-api'
import type { Clock, Device, Logger, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import { printableLine } from '../printable.ts'
import { createDeviceIds, type DeviceIds } from './device-ids.ts'
import { createHeldIds } from './held-ids.ts'

/** With the longest ids, about 49,000 devices fit into the 4 MiB message that the kubelet accepts. */
const MAX_DEVICES = 30_000

/** Findings of the probes about a device. */
export interface ProbeFinding extends ProbeResult {
  /** The kind of the probe that fails. Default: probe. */
  readonly cause?: string
  /** Whether the device leaves the list while it is unhealthy. */
  readonly isRemoved?: boolean
}

/** A device that cannot be listed. */
export interface IgnoredDevice {
  readonly id: string
  readonly reason: string
}

/** A failed allocation of a device. */
export interface AllocationFailure {
  readonly reason: string
}

/** Number of listed devices by health. */
export interface DeviceCounts {
  readonly healthy: number
  readonly unhealthy: number
  /** Number of devices that are not healthy, by cause. It includes removed devices. */
  readonly byCause: ReadonlyMap<string, number>
}

/** The devices of one resource as reported to the kubelet, by id. A change costs time for the changed devices only. */
export interface DeviceTable {
  /** Returns the devices sorted by id; undefined before the first inventory. */
  list(): readonly Device[] | undefined
  /** Returns what the kubelet should see: {@link list}, or no device after {@link withdraw}. */
  offered(): readonly Device[] | undefined
  /** Forgets what the probes of another source found, and uses another time for missing devices, at the next update. */
  startOver(keepMissingMs: number): void
  /** Frees the ids of the devices for other resources, and stops timers. */
  close(): void
  /** Withdraws all devices from the kubelet, or offers them again. Devices that a pod holds can still be allocated. */
  withdraw(isWithdrawn: boolean): void
  get(id: string): Device | undefined
  counts(): DeviceCounts
  /** Returns why a device is not healthy, as one word. */
  causeOf(id: string): string | undefined
  /** Returns the devices that probes removed from the list, with the reason. */
  removed(): readonly Device[]
  /** Returns what the last inventory had and the list cannot have. */
  ignored(): readonly IgnoredDevice[]
  /** Replaces the inventory with a source's complete list. */
  update(inventory: readonly Device[]): void
  /** Records the newest probe results. A device that its source reports as unhealthy stays unhealthy. */
  setProbeResults(results: ReadonlyMap<string, ProbeFinding>): void
  /** Lists every device as unhealthy with this reason; undefined ends that. */
  setDistrust(reason: string | undefined): void
  /** Lists devices as unhealthy until {@link clearAllocationFailure}, or until they leave the inventory. */
  failAllocation(ids: readonly string[], reason: string): void
  /** Returns the last failed allocation of a device that was not cleared. */
  allocationFailure(id: string): AllocationFailure | undefined
  /** Clears a failure, unless a newer one has replaced it. */
  clearAllocationFailure(id: string, failure: AllocationFailure): void
  /**
   * Records that a container got devices. They count as held until {@link hold} says otherwise: without it, for as long
   * as this process runs.
   */
  grant(ids: readonly string[]): void
  /**
   * Takes the ids that containers hold. A held device that is not found, or that a probe would remove, stays listed as
   * unhealthy until no container holds it, because the kubelet reports a device that left the list as healthy.
   *
   * @param askedAtMs - When the kubelet was asked, in monotonic time.
   */
  hold(ids: Iterable<string>, askedAtMs: number): void
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
  const { resourceName, deviceIds = createDeviceIds(), clock, log } = options
  let { keepMissingMs } = options
  let isStartingOver = false
  const listeners = new Set<() => void>()
  /** Devices that are not in the inventory: while their timer runs, and while containers hold them. */
  const missing = new Map<string, { readonly device: Device; readonly timer: Timer | undefined }>()
  const held = createHeldIds(clock)
  const failures = new Map<string, AllocationFailure>()
  const findings = new Map<string, ProbeFinding>()
  const causes = new Map<string, string>()
  const countByCause = new Map<string, number>()
  const listed = new Map<string, Device>()
  let present: ReadonlyMap<string, Device> = new Map()
  let distrust: ProbeResult | undefined
  let hasInventory = false
  let ignored: readonly IgnoredDevice[] = []
  let isWithdrawn = false
  let healthy = 0
  /** The sorted list of `listed`; undefined after a change. */
  let sorted: readonly Device[] | undefined

  /** Returns the device as the kubelet should see it, and why it is not healthy. */
  function withFindings(id: string): { readonly device?: Device | undefined; readonly cause?: string } {
    const device = present.get(id)
    if (device === undefined) return { device: missing.get(id)?.device, ...(missing.has(id) && { cause: 'missing' }) }
    if (distrust !== undefined) return { device: { ...device, ...distrust }, cause: 'discovery' }
    if (device.health !== HEALTHY) return { device, cause: 'source' }
    const finding = findingOf(id)
    if (finding === undefined) return { device }
    const { cause, isRemoved = false, reason } = finding
    if (isRemoved && !held.has(id)) return { cause }
    return { device: { ...device, health: 'Unhealthy', ...(reason !== undefined && { reason }) }, cause }
  }

  /** Returns what this process knows about a device that its source reports as healthy. */
  function findingOf(
    id: string,
  ): { readonly cause: string; readonly reason?: string; readonly isRemoved?: boolean } | undefined {
    const probed = findings.get(id)
    if (probed !== undefined && probed.health !== HEALTHY) return { cause: 'probe', ...probed }
    const other = deviceIds.otherOwner(resourceName, id)
    // Neither resource may allocate it, because the containers of both would hold one device.
    if (other !== undefined) return { cause: 'collision', reason: `${other} offers the same id` }
    const failure = failures.get(id)
    return failure === undefined ? undefined : { cause: 'allocation', ...failure }
  }

  function setCause(id: string, cause: string | undefined): void {
    const before = causes.get(id)
    if (before === cause) return
    if (before !== undefined) countByCause.set(before, (countByCause.get(before) ?? 0) - 1)
    if (cause === undefined) causes.delete(id)
    else {
      causes.set(id, cause)
      countByCause.set(cause, (countByCause.get(cause) ?? 0) + 1)
    }
  }

  function refresh(ids: Iterable<string>): void {
    let isChanged = false
    for (const id of ids) if (refreshOne(id)) isChanged = true
    if (isChanged) notify()
  }

  function notify(): void {
    sorted = undefined
    for (const listener of listeners) listener()
  }

  /** Returns whether the listed device changed. */
  function refreshOne(id: string): boolean {
    const before = listed.get(id)
    const { device: next, cause } = withFindings(id)
    setCause(id, cause)
    if (before === next || isDeepStrictEqual(before, next)) return false
    healthy += Number(next?.health === HEALTHY) - Number(before?.health === HEALTHY)
    if (next === undefined) listed.delete(id)
    else listed.set(id, next)
    if (before !== undefined && next !== undefined && before.health !== next.health) {
      log.info({ resourceName, deviceId: id, health: next.health, reason: next.reason }, 'Device health changed')
    } else if (before !== undefined && next === undefined && cause !== undefined) {
      log.info({ resourceName, deviceId: id, reason: findings.get(id)?.reason }, 'Probe removed a device')
    }
    return true
  }

  function validDevices(inventory: readonly Device[]): ReadonlyMap<string, Device> {
    const devices = new Map<string, Device>()
    if (inventory.length > MAX_DEVICES) {
      log.error(
        { resourceName, found: inventory.length, listed: MAX_DEVICES },
        'Too many devices for one message to the kubelet',
      )
    }
    const invalid: IgnoredDevice[] = inventory
      .slice(MAX_DEVICES)
      .map(({ id }) => ({ id: printableLine(id), reason: `a resource can have ${MAX_DEVICES} devices` }))
    for (const device of inventory.slice(0, MAX_DEVICES)) {
      const reason = findIdError(device.id, devices)
      if (reason === undefined) devices.set(device.id, withPrintableReason(device))
      else {
        const id = printableLine(device.id.slice(0, 200))
        invalid.push({ id, reason })
        log.error({ resourceName, deviceId: id, reason }, 'Ignored a device with an invalid id')
      }
    }
    ignored = invalid
    return devices
  }

  function keepAsMissing(device: Device): void {
    const { id } = device
    const unhealthy: Device = { ...device, health: 'Unhealthy', reason: 'it disappeared' }
    const endTimer = (): void => {
      missing.set(id, { device: unhealthy, timer: undefined })
      forgetUnlessHeld(id)
      refresh([id])
    }
    missing.set(id, {
      device: unhealthy,
      timer: keepMissingMs > 0 ? clock.setTimer(keepMissingMs, endTimer) : undefined,
    })
  }

  /** Forgets a missing device that nothing keeps. */
  function forgetUnlessHeld(id: string): void {
    const entry = missing.get(id)
    if (entry === undefined || entry.timer !== undefined || held.has(id)) return
    missing.delete(id)
    deviceIds.remove(resourceName, id)
  }

  deviceIds.onCollision(resourceName, (id) => refresh([id]))
  function list(): readonly Device[] | undefined {
    if (!hasInventory) return undefined
    sorted ??= [...listed.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return sorted
  }

  return {
    list,
    offered: () => (hasInventory && isWithdrawn ? [] : list()),
    startOver(nextKeepMissingMs) {
      keepMissingMs = nextKeepMissingMs
      findings.clear()
      distrust = undefined
      isStartingOver = true
    },
    close() {
      for (const id of [...present.keys(), ...missing.keys()]) deviceIds.remove(resourceName, id)
      for (const { timer } of missing.values()) timer?.cancel()
    },
    withdraw(next) {
      if (next === isWithdrawn) return
      isWithdrawn = next
      if (hasInventory) notify()
    },
    get: (id) => listed.get(id),
    counts: () => ({ healthy, unhealthy: listed.size - healthy, byCause: countByCause }),
    causeOf: (id) => causes.get(id),
    ignored: () => ignored,
    removed: () =>
      [...present.values()]
        .filter(({ id }) => !listed.has(id))
        .map((device) => ({ ...device, health: 'Unhealthy', reason: findings.get(device.id)?.reason ?? '' })),
    update(inventory) {
      const before = present
      const next = validDevices(inventory)
      const changed: string[] = []
      present = next
      for (const [id, device] of next) {
        if (before.get(id) === device) {
          if (isStartingOver) changed.push(id)
          continue
        }
        changed.push(id)
        missing.get(id)?.timer?.cancel()
        missing.delete(id)
        deviceIds.add(resourceName, id)
      }
      for (const [id, device] of before) {
        if (next.has(id)) continue
        changed.push(id)
        failures.delete(id)
        findings.delete(id)
        if (keepMissingMs > 0 || held.has(id)) keepAsMissing(device)
        else deviceIds.remove(resourceName, id)
      }
      isStartingOver = false
      const isFirst = !hasInventory
      hasInventory = true
      if (isFirst && changed.length === 0) notify()
      else refresh(changed)
    },
    setProbeResults(results) {
      const known = [...results].filter(([id]) => present.has(id))
      for (const [id, result] of known) findings.set(id, withPrintableReason(result))
      refresh(known.map(([id]) => id))
    },
    setDistrust(reason) {
      if (reason === distrust?.reason) return
      distrust = reason === undefined ? undefined : { health: 'Unhealthy', reason }
      refresh(present.keys())
    },
    failAllocation(ids, reason) {
      const failure = { reason: printableLine(reason) }
      for (const id of ids) if (present.has(id)) failures.set(id, failure)
      refresh(ids)
    },
    allocationFailure: (id) => failures.get(id),
    clearAllocationFailure(id, failure) {
      if (failures.get(id) !== failure) return
      failures.delete(id)
      refresh([id])
    },
    grant: (ids) => held.grant(ids),
    hold(ids, askedAtMs) {
      const changed = held.update(ids, askedAtMs)
      for (const id of changed) {
        if (!held.has(id)) forgetUnlessHeld(id)
        else if (!present.has(id) && !missing.has(id)) {
          missing.set(id, {
            device: { id, health: 'Unhealthy', reason: 'it is held and was not found' },
            timer: undefined,
          })
          deviceIds.add(resourceName, id)
        }
      }
      refresh(changed)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The reason appears in logs, in errors of the kubelet and in `/readyz`, and may contain names of host files. */
function withPrintableReason<T extends { readonly reason?: string }>(device: T): T {
  if (device.reason === undefined) return device
  const reason = printableLine(device.reason)
  return reason === device.reason ? device : { ...device, reason }
}

function findIdError(id: string, devices: ReadonlyMap<string, Device>): string | undefined {
  if (id === '') return 'its id is empty'
  if (id.length > MAX_DEVICE_ID_LENGTH) return `its id is longer than ${MAX_DEVICE_ID_LENGTH} characters`
  return devices.has(id) ? 'another device has the same id' : undefined
}
