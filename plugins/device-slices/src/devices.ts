import type { DecideContext } from '@berth/plugin-api'
import type { DeviceSlicesArgs } from './args.ts'

/** The free slices of one node. Its size depends on the pods, not on the number of devices that the node claims to have. */
export interface NodeDevices {
  /** Number of devices. */
  readonly count: number
  /** By number of a device on which pods hold slices: its free slices. Negative if they hold more than it has. */
  readonly shared: ReadonlyMap<number, number>
  /** Slices of pods whose device is not known. They may be on any device. */
  readonly unknown: number
}

/** Arguments with the name of the annotation filled in. */
export interface SliceRules extends DeviceSlicesArgs {
  readonly annotation: string
}

/** Reads the free slices of a node from the annotations of its pods, bound or assumed. */
export function devicesOf(
  row: number,
  { resource, slicesPerDevice, annotation }: SliceRules,
  cluster: DecideContext['cluster'],
): NodeDevices {
  const count = Math.max(0, Math.floor(Number(cluster.allocatable(row, resource)) / slicesPerDevice))
  const shared = new Map<number, number>()
  let unknown = 0
  if (count === 0) return { count, shared, unknown }
  for (const pod of cluster.podsOn(row)) {
    const slices = Number(cluster.requestOf(pod, resource))
    if (slices <= 0) continue
    const text = pod.metadata.annotations?.[annotation]
    const device = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Infinity
    if (device < count) shared.set(device, (shared.get(device) ?? slicesPerDevice) - slices)
    else unknown += slices
  }
  return { count, shared, unknown }
}

/** Returns the device for a number of slices; undefined if no device certainly has as many. */
export function chooseDevice(
  devices: NodeDevices,
  slices: number,
  { slicesPerDevice, strategy }: SliceRules,
): number | undefined {
  const { shared, unknown } = devices
  const unshared = firstUnshared(devices)
  const candidates = [...shared, ...(unshared === undefined ? [] : [[unshared, slicesPerDevice] as const])]
  const sign = strategy === 'pack' ? 1 : -1
  const [best] = candidates
    .filter(([, free]) => free - unknown >= slices)
    .sort(([a, freeOfA], [b, freeOfB]) => sign * (freeOfA - freeOfB) || a - b)
  return best?.[0]
}

/** Returns the sum of the slices that are certainly free. */
export function totalFree({ count, shared, unknown }: NodeDevices, slicesPerDevice: number): number {
  let total = (count - shared.size) * slicesPerDevice - unknown
  for (const free of shared.values()) total += Math.max(0, free)
  return total
}

function firstUnshared({ count, shared }: NodeDevices): number | undefined {
  for (let device = 0; device < count; device++) if (!shared.has(device)) return device
  return undefined
}
