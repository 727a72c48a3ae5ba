import type { Device } from '@berth/types'

/** What the kubelet asks advice for. */
export interface PreferredAllocationOptions {
  readonly available: readonly string[]
  readonly mustInclude: readonly string[]
  readonly size: number
}

/**
 * Which of the available devices a container had better get: all on one NUMA node if they fit there, on the fullest
 * such node, so that larger groups stay whole elsewhere; else on as few nodes as possible. Devices without a NUMA node
 * come last.
 *
 * @returns Sorted ids, `size` of them or fewer; empty: no opinion. Never throws, since an error fails the pod.
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

/** The devices of the node to take from next; those without any node when no node has one. */
function bestNumaGroup(
  free: readonly string[],
  nodesOf: (id: string) => readonly number[],
  nodesUsed: ReadonlySet<number>,
  missing: number,
): readonly string[] {
  const groups = new Map<number, string[]>()
  for (const id of free) {
    for (const node of nodesOf(id)) groups.set(node, [...(groups.get(node) ?? []), id])
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
    // Among those that fit the tightest, among those that do not the largest.
    return (fitsA ? a.spare - b.spare : b.spare - a.spare) || a.node - b.node
  })
  return ranked[0]?.ids ?? free
}
