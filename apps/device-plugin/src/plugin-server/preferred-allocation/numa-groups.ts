import type { Device } from '@berth/types'
import type { Pace } from './pace.ts'

/** Free devices by NUMA node. A device on two nodes is in two groups. */
export interface NumaGroups {
  /** Returns the devices of the best node, then of the next, and at last all devices. Some may be chosen already. */
  takeBest(missing: number): readonly Device[]
  /** Records that a device is no longer free, and that its nodes are used. */
  markChosen(device: Device): void
}

interface Group {
  readonly node: number
  readonly devices: Device[]
  freeCount: number
}

/** Groups devices by NUMA node. The nodes of the chosen devices count as used. */
export async function numaGroups(free: readonly Device[], chosen: Iterable<Device>, pace: Pace): Promise<NumaGroups> {
  const groups = new Map<number, Group>()
  for (const [index, device] of free.entries()) {
    if (index % pace.interval === pace.interval - 1) await pace.yieldToOthers()
    for (const node of device.numaNodes ?? []) {
      const group = groups.get(node)
      if (group === undefined) groups.set(node, { node, devices: [device], freeCount: 1 })
      else {
        group.devices.push(device)
        group.freeCount++
      }
    }
  }
  const used = new Set([...chosen].flatMap(({ numaNodes = [] }) => numaNodes))
  let hasAll = true

  return {
    takeBest(missing) {
      let best: Group | undefined
      for (const group of groups.values()) {
        if (group.freeCount > 0 && (best === undefined || isBetter(group, best, missing, used))) best = group
      }
      if (best !== undefined) return best.devices
      if (!hasAll) return []
      hasAll = false
      return free
    },
    markChosen({ numaNodes = [] }) {
      for (const node of numaNodes) {
        used.add(node)
        const group = groups.get(node)
        if (group !== undefined) group.freeCount--
      }
    },
  }
}

/** Prefers a used node, then the smallest group that fits, then the largest, then the lowest number. */
function isBetter(a: Group, b: Group, missing: number, used: ReadonlySet<number>): boolean {
  const [isUsedA, isUsedB] = [used.has(a.node), used.has(b.node)]
  if (isUsedA !== isUsedB) return isUsedA
  const [fitsA, fitsB] = [a.freeCount >= missing, b.freeCount >= missing]
  if (fitsA !== fitsB) return fitsA
  if (a.freeCount !== b.freeCount) return fitsA ? a.freeCount < b.freeCount : a.freeCount > b.freeCount
  return a.node < b.node
}
