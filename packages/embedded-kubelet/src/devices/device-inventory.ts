import { ENDPOINT_STOP_GRACE_PERIOD_MS, HEALTHY, type Device, type DevicePluginOptions } from '@berth/kubelet-api'
import type { Clock } from '@berth/types'
import type { DevicePluginEndpoint } from './device-endpoint.ts'

/** What the device manager adds to the node's status. */
export interface DeviceCounts {
  /** Healthy and unhealthy devices by resource. */
  readonly capacity: ReadonlyMap<string, number>
  /** Healthy devices by resource. */
  readonly allocatable: ReadonlyMap<string, number>
  /** Resources whose plugin stayed away for the grace period: named once, to be set to 0. */
  readonly removed: readonly string[]
}

/** One registration of a plugin; its methods act only while no newer one took the resource over. */
export interface Registration {
  /** A message of ListAndWatch: the complete list. */
  listed(devices: readonly Device[]): void
  /** The stream ended, for whatever reason. */
  stopped(): void
}

/** A plugin that can be called. */
export interface LiveEndpoint {
  readonly endpoint: DevicePluginEndpoint
  readonly options: DevicePluginOptions
}

interface Entry {
  /** Absent until the first list: the resource is not known to the node before. */
  healthy?: ReadonlySet<string>
  unhealthy?: ReadonlySet<string>
  devices: ReadonlyMap<string, Device>
  live?: LiveEndpoint
  stoppedAtMs?: number
  /** Identifies the newest registration. */
  token: object
}

/** Devices by resource and health, and the plugins behind them. */
export interface DeviceInventory {
  register(resourceName: string, live: LiveEndpoint): Registration
  /** Known from a checkpoint: no devices, its plugin away from now on. */
  recall(resourceName: string): void
  counts(): DeviceCounts
  /** Absent: the resource is not registered. */
  healthyIds(resourceName: string): ReadonlySet<string> | undefined
  device(resourceName: string, id: string): Device | undefined
  live(resourceName: string): LiveEndpoint | undefined
  resourceNames(): readonly string[]
}

/**
 * Keeps what plugins report.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go (v1.36)
 */
export function createDeviceInventory(options: {
  readonly clock: Clock
  /** Kubelets up to 1.36: the end of an old stream also stops a newer registration. Default: false. */
  readonly hasStreamRace?: boolean
  readonly onChange?: (resourceName: string) => void
}): DeviceInventory {
  const { clock, hasStreamRace = false, onChange = () => {} } = options
  const entries = new Map<string, Entry>()

  function entryOf(resourceName: string): Entry {
    const known = entries.get(resourceName)
    if (known !== undefined) return known
    const entry: Entry = { devices: new Map(), token: {} }
    entries.set(resourceName, entry)
    return entry
  }

  function stop(resourceName: string, entry: Entry): void {
    delete entry.live
    entry.stoppedAtMs ??= clock.monotonic()
    entry.unhealthy = new Set([...(entry.unhealthy ?? []), ...(entry.healthy ?? [])])
    if (entry.healthy !== undefined) entry.healthy = new Set()
    onChange(resourceName)
  }

  return {
    register(resourceName, live) {
      const entry = entryOf(resourceName)
      const token = {}
      entry.token = token
      entry.live = live
      delete entry.stoppedAtMs
      const isCurrent = (): boolean => entries.get(resourceName) === entry && entry.token === token
      return {
        listed(devices) {
          if (!isCurrent()) return
          entry.devices = new Map(devices.map((device) => [device.ID, device]))
          entry.healthy = new Set(devices.filter(({ health }) => health === HEALTHY).map(({ ID }) => ID))
          entry.unhealthy = new Set(devices.filter(({ health }) => health !== HEALTHY).map(({ ID }) => ID))
          onChange(resourceName)
        },
        stopped() {
          if (isCurrent() || (hasStreamRace && entries.get(resourceName) === entry)) stop(resourceName, entry)
        },
      }
    },

    recall(resourceName) {
      const entry = entryOf(resourceName)
      entry.healthy = new Set()
      entry.unhealthy = new Set()
      entry.stoppedAtMs = clock.monotonic()
    },

    counts() {
      const capacity = new Map<string, number>()
      const allocatable = new Map<string, number>()
      const removed: string[] = []
      for (const [resourceName, entry] of entries) {
        const { healthy, unhealthy, stoppedAtMs } = entry
        if (stoppedAtMs !== undefined && clock.monotonic() - stoppedAtMs > ENDPOINT_STOP_GRACE_PERIOD_MS) {
          entries.delete(resourceName)
          if (healthy !== undefined) removed.push(resourceName)
        } else if (healthy !== undefined) {
          capacity.set(resourceName, healthy.size + (unhealthy?.size ?? 0))
          allocatable.set(resourceName, healthy.size)
        }
      }
      return { capacity, allocatable, removed }
    },

    healthyIds: (resourceName) => entries.get(resourceName)?.healthy,
    device: (resourceName, id) => entries.get(resourceName)?.devices.get(id),
    live: (resourceName) => entries.get(resourceName)?.live,
    resourceNames: () => [...entries].filter(([, { healthy }]) => healthy !== undefined).map(([name]) => name),
  }
}
