import { MAX_NODE_SCORE } from '@berth/types'

/**
 * Scores how many blocks of free units stay whole on a node, 0 to 100.
 *
 * Free units contain `floor(free / size)` blocks of a size. A pod that takes `requested` units always uses up
 * `floor(requested / size)` of them; a node where it uses up one more breaks a block. The score is the share of the
 * sizes of which no block breaks, weighted by size, so that the largest weigh most. Sizes that divide `requested` are
 * ignored, because they lose the same number of blocks on every node. Truncated; 100 when no size counts.
 *
 * Example: 5 units free, 2 requested, sizes 2, 4 and 8. Size 2 divides 2 and is ignored. There is 1 block of 4 before
 * and none after, although 2 units need none, so 4 breaks. There is no block of 8 to break. 8 of 12 stay whole: 66.
 *
 * @param free - Units before the pod comes; a negative number counts as 0.
 * @param requested - Units that the pod takes, above 0.
 * @param sizes - Integers above 0.
 */
export function wholeBlocks(free: number, requested: number, sizes: readonly number[]): number {
  const before = Math.max(0, free)
  const after = Math.max(0, free - requested)
  let whole = 0
  let all = 0
  for (const size of sizes) {
    if (requested % size === 0) continue
    all += size
    const lost = Math.floor(before / size) - Math.floor(after / size)
    if (lost <= Math.floor(requested / size)) whole += size
  }
  return all === 0 ? MAX_NODE_SCORE : Math.floor((whole * MAX_NODE_SCORE) / all)
}

/** Returns 2, 4, 8, ... up to `largest`, the usual requests for devices; empty below 2. */
export function powersOfTwo(largest: number): readonly number[] {
  const sizes: number[] = []
  for (let size = 2; size <= largest; size *= 2) sizes.push(size)
  return sizes
}
