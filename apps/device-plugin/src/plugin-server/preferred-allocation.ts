import type { Device } from '@berth/types'

/** A preferred allocation request of the kubelet for one container. */
export interface PreferredAllocationOptions {
  readonly available: readonly string[]
  readonly mustInclude: readonly string[]
  readonly size: number
}

/**
 * Chooses the devices that a container should get. If one NUMA node has enough free devices, all come from the node with
 * the fewest free devices that still fits, so that larger groups stay whole. Otherwise they come from as few nodes as
 * possible. Devices without a NUMA node come last.
 *
 * @returns At most `size` ids, sorted; empty means no preference. Never throws, because an error fails the pod.
 */
export function preferredAllocation(
  request: PreferredAllocationOptions,
  deviceOf: (id: string) => Device | undefined,
): readonly string[] {
  const { available, mustInclude, size } = request
  const chosen = new Set(mustInclude.slice(0, Math.max(0, size)))
  const free = new Set([...available].sort().filter((id) => !chosen.has(id)))
  const nodesOf = (id: string): readonly number[] => deviceOf(id)?.numaNodes ?? []
  const nodesUsed = new Set([...chosen].flatMap(nodesOf))

  while (chosen.size < size && free.size > 0) {
    const missing = size - chosen.size
    const group = bestNumaGroup([...free], nodesOf, nodesUsed, missing)
    for (const id of group.slice(0, missing)) {
      chosen.add(id)
      free.delete(id)
      for (const node of nodesOf(id)) nodesUsed.add(node)
    }
  }
  return [...chosen].sort()
}

/** Returns the free devices of the best NUMA node, or all free devices when none has a NUMA node. */
function bestNumaGroup(
  free: readonly string[],
  nodesOf: (id: string) => readonly number[],
  nodesUsed: ReadonlySet<number>,
  missing: number,
): readonly string[] {
  const groups = new Map<number, string[]>()
  for (const id of free) {
    for (const node of nodesOf(id)) {
      const group = groups.get(node)
      if (group === undefined) groups.set(node, [id])
      else group.push(id)
    }
  }
  const ranked = [...groups].map(([node, ids]) => ({
    node,
    ids,
    isUsed: nodesUsed.has(node),
    spare: ids.length - missing,
  }))
  ranked.sort((a, b) => {
    if (a.isUsed !== b.isUsed) return a.isUsed ? -1 : 1
    const [fitsA, fitsB] = [a.spare >= 0, b.spare >= 0]
    if (fitsA !== fitsB) return fitsA ? -1 : 1
    // Prefer the smallest group that fits, or the largest group if none fits.
    return (fitsA ? a.spare - b.spare : b.spare - a.spare) || a.node - b.node
  })
  return ranked[0]?.ids ?? free
}
