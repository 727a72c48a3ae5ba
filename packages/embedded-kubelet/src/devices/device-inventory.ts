import { ENDPOINT_STOP_GRACE_PERIOD_MS, HEALTHY, type Device, type DevicePluginOptions } from '@berth/kubelet-api'
import type { Clock } from '@berth/types'
import type { DevicePluginEndpoint } from './device-plugin-endpoint.ts'

/** The device counts in the node's status. */
export interface DeviceCounts {
  /** Healthy and unhealthy devices by resource. */
  readonly capacity: ReadonlyMap<string, number>
  /** Healthy devices by resource. */
  readonly allocatable: ReadonlyMap<string, number>
  /**
   * Resources without a connected plugin for the grace period: the node reports 0 of them. Each is listed only once.
   */
  readonly removed: readonly string[]
}

/** One registration of a plugin. Its methods have no effect once a newer registration replaced it. */
export interface Registration {
  /** Replaces the devices with the list of a ListAndWatch message. */
  setDevices(devices: readonly Device[]): void
  /** Marks all devices as unhealthy, because the plugin's stream ended. */
  stop(): void
}

/** A plugin with an open connection. */
export interface ConnectedPlugin {
  readonly endpoint: DevicePluginEndpoint
  readonly options: DevicePluginOptions
}

interface ResourceEntry {
  /** Undefined before the first list. Until then the node does not report the resource. */
  healthy?: ReadonlySet<string>
  unhealthy?: ReadonlySet<string>
  devices: ReadonlyMap<string, Device>
  plugin?: ConnectedPlugin
  stoppedAtMs?: number
  /** Identifies the newest registration. */
  token: object
}

/** The devices of every resource, their health, and the connected plugins. */
export interface DeviceInventory {
  register(resourceName: string, connectedPlugin: ConnectedPlugin): Registration
  /** Adds a resource from a checkpoint, without devices. The grace period for its plugin to connect starts now. */
  restore(resourceName: string): void
  /** Returns the counts. Forgets resources without a connected plugin for the grace period. */
  counts(): DeviceCounts
  /** Returns the ids of the healthy devices; undefined when the resource is not registered. */
  healthyIds(resourceName: string): ReadonlySet<string> | undefined
  device(resourceName: string, id: string): Device | undefined
  connectedPlugin(resourceName: string): ConnectedPlugin | undefined
  resourceNames(): readonly string[]
}

/**
 * Creates an inventory that keeps the devices that plugins report.
 *
 * @see kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go (v1.36)
 */
export function createDeviceInventory(options: {
  readonly clock: Clock
  /** Whether the end of an old stream also stops a newer registration, as in kubelets up to 1.36. Default: false. */
  readonly hasStreamRace?: boolean
  readonly onChange?: (resourceName: string) => void
}): DeviceInventory {
  const { clock, hasStreamRace = false, onChange = () => {} } = options
  const entries = new Map<string, ResourceEntry>()

  function entryOf(resourceName: string): ResourceEntry {
    const known = entries.get(resourceName)
    if (known !== undefined) return known
    const entry: ResourceEntry = { devices: new Map(), token: {} }
    entries.set(resourceName, entry)
    return entry
  }

  function stopResource(resourceName: string, entry: ResourceEntry): void {
    delete entry.plugin
    entry.stoppedAtMs ??= clock.monotonic()
    entry.unhealthy = new Set([...(entry.unhealthy ?? []), ...(entry.healthy ?? [])])
    if (entry.healthy !== undefined) entry.healthy = new Set()
    onChange(resourceName)
  }

  return {
    register(resourceName, plugin) {
      const entry = entryOf(resourceName)
      const token = {}
      entry.token = token
      entry.plugin = plugin
      delete entry.stoppedAtMs
      const isCurrent = (): boolean => entries.get(resourceName) === entry && entry.token === token
      return {
        setDevices(devices) {
          if (!isCurrent()) return
          entry.devices = new Map(devices.map((device) => [device.ID, device]))
          entry.healthy = new Set(devices.filter(({ health }) => health === HEALTHY).map(({ ID }) => ID))
          entry.unhealthy = new Set(devices.filter(({ health }) => health !== HEALTHY).map(({ ID }) => ID))
          onChange(resourceName)
        },
        stop() {
          if (isCurrent() || (hasStreamRace && entries.get(resourceName) === entry)) stopResource(resourceName, entry)
        },
      }
    },

    restore(resourceName) {
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
    connectedPlugin: (resourceName) => entries.get(resourceName)?.plugin,
    resourceNames: () => [...entries].filter(([, { healthy }]) => healthy !== undefined).map(([name]) => name),
  }
}
