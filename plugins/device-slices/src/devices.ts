import type { DecideContext } from '@berth/plugin-api'
import type { DeviceSlicesArgs } from './args.ts'

/** The free slices of one node. */
export interface NodeDevices {
  /** By number of the device: its free slices. Negative if pods hold more than it has. */
  readonly free: readonly number[]
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
  const count = Math.floor(Number(cluster.allocatable(row, resource)) / slicesPerDevice)
  const free = Array.from({ length: count }, () => slicesPerDevice)
  let unknown = 0
  if (count === 0) return { free, unknown }
  for (const pod of cluster.podsOn(row)) {
    const slices = Number(cluster.requestOf(pod, resource))
    if (slices <= 0) continue
    const text = pod.metadata.annotations?.[annotation]
    const device = text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : -1
    const before = free[device]
    if (before === undefined) unknown += slices
    else free[device] = before - slices
  }
  return { free, unknown }
}

/** Returns the device for a number of slices; undefined if no device certainly has as many. */
export function chooseDevice(
  { free, unknown }: NodeDevices,
  slices: number,
  strategy: DeviceSlicesArgs['strategy'],
): number | undefined {
  let best: number | undefined
  for (const [device, own] of free.entries()) {
    if (own - unknown < slices) continue
    const other = best === undefined ? undefined : free[best]
    if (other === undefined || (strategy === 'pack' ? own < other : own > other)) best = device
  }
  return best
}
