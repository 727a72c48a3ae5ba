import type { Pod } from '@berth/types'
import { deviceKey, unhealthyDevices, type PodDevice } from './pod-devices.ts'

/** A device of a pod, and since when it has been Unhealthy. */
export interface UnhealthyDevice extends PodDevice {
  /** When this process first saw the device as Unhealthy without a break since, in monotonic time. */
  readonly sinceMs: number
}

/** A pod whose eviction is due. */
export interface DuePod {
  readonly pod: Pod
  /** The device that has been Unhealthy for the longest time. */
  readonly device: UnhealthyDevice
  /** Attempts that did not evict the pod. */
  readonly failures: number
}

/**
 * The pods that hold an Unhealthy device. The status of a pod does not say since when a device is Unhealthy, so times
 * begin when this process sees it: after a restart, a pod is evicted later than the limit, never earlier.
 */
export interface UnhealthyPods {
  readonly size: number
  /** Takes the newest state of a pod. A device that is no longer Unhealthy loses its time. */
  update(pod: Pod, nowMs: number): void
  remove(uid: string): void
  /** Begins all times again: nothing is known about the time that has passed. */
  restart(nowMs: number): void
  /** Returns the pod that has been due for the longest time, or the milliseconds until one may be; Infinity if there is none. */
  next(nowMs: number): DuePod | number
  /** Returns the pod if its eviction is due. */
  due(uid: string, nowMs: number): DuePod | undefined
  /** Makes a pod due again at a later time. */
  retry(uid: string, atMs: number): void
  /** Never makes the pod due again, unless all its devices recover in between. */
  finish(uid: string): void
}

interface Entry {
  pod: Pod
  devices: ReadonlyMap<string, UnhealthyDevice>
  failures: number
  notBeforeMs: number
}

/**
 * Creates an empty record.
 *
 * @param options.limitMs - How long a device must be Unhealthy before the eviction of its pod is due.
 */
export function createUnhealthyPods(options: {
  readonly resources: ReadonlySet<string>
  readonly limitMs: number
}): UnhealthyPods {
  const { resources, limitMs } = options
  const entries = new Map<string, Entry>()

  const dueAtMs = ({ devices, notBeforeMs }: Entry): number => Math.max(oldest(devices).sinceMs + limitMs, notBeforeMs)
  const toDuePod = ({ pod, devices, failures }: Entry): DuePod => ({ pod, device: oldest(devices), failures })

  return {
    get size() {
      return entries.size
    },
    update(pod, nowMs) {
      const uid = pod.metadata.uid ?? ''
      const before = entries.get(uid)
      const devices = new Map<string, UnhealthyDevice>()
      for (const device of unhealthyDevices(pod, resources)) {
        const key = deviceKey(device)
        devices.set(key, { ...device, sinceMs: before?.devices.get(key)?.sinceMs ?? nowMs })
      }
      if (devices.size === 0) entries.delete(uid)
      else if (before === undefined) entries.set(uid, { pod, devices, failures: 0, notBeforeMs: 0 })
      else Object.assign(before, { pod, devices })
    },
    remove: (uid) => void entries.delete(uid),
    restart(nowMs) {
      for (const entry of entries.values()) {
        entry.devices = new Map([...entry.devices].map(([key, device]) => [key, { ...device, sinceMs: nowMs }]))
      }
    },
    next(nowMs) {
      let first: Entry | undefined
      for (const entry of entries.values()) if (first === undefined || dueAtMs(entry) < dueAtMs(first)) first = entry
      if (first === undefined) return Infinity
      const waitMs = dueAtMs(first) - nowMs
      return waitMs > 0 ? waitMs : toDuePod(first)
    },
    due(uid, nowMs) {
      const entry = entries.get(uid)
      return entry === undefined || dueAtMs(entry) > nowMs ? undefined : toDuePod(entry)
    },
    retry(uid, atMs) {
      const entry = entries.get(uid)
      if (entry !== undefined) Object.assign(entry, { failures: entry.failures + 1, notBeforeMs: atMs })
    },
    finish(uid) {
      const entry = entries.get(uid)
      if (entry !== undefined) entry.notBeforeMs = Infinity
    },
  }
}

function oldest(devices: ReadonlyMap<string, UnhealthyDevice>): UnhealthyDevice {
  return [...devices.values()].reduce((first, device) => (device.sinceMs < first.sinceMs ? device : first))
}
