import type { UiResource } from '../../model/ui-model.ts'

/** How many nodes have a number of free units. */
export interface FreeBlock {
  /** Free units of each of the nodes: from this up to and including `to`. */
  readonly from: number
  readonly to: number
  readonly nodeCount: number
}

/** How the free units of a resource are spread. */
export interface Fragmentation {
  /** Free units on all nodes, without those that lack some. */
  readonly free: number
  readonly largestBlock: number
  /** Share of the free units that one request cannot get, from 0 to 1; 0 without free units. */
  readonly scatteredShare: number
  /** Smallest first. Sizes grow by powers of two, so that the list stays short. Nodes without free units are left out. */
  readonly blocks: readonly FreeBlock[]
}

/** Returns how the free units of a resource are spread over the nodes. */
export function fragmentationOf({ cells, largestBlock }: Pick<UiResource, 'cells' | 'largestBlock'>): Fragmentation {
  let free = 0
  const nodeCounts: number[] = []
  for (const amounts of cells) {
    if (amounts === null || amounts[2] <= 0) continue
    free += amounts[2]
    const size = Math.floor(Math.log2(amounts[2]))
    nodeCounts[size] = (nodeCounts[size] ?? 0) + 1
  }
  return {
    free,
    largestBlock,
    scatteredShare: free === 0 ? 0 : 1 - largestBlock / free,
    blocks: nodeCounts.flatMap((nodeCount, size) => ({ from: 2 ** size, to: 2 ** (size + 1) - 1, nodeCount })),
  }
}
