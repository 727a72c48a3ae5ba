import { MAX_NODE_SCORE } from '@berth/types'

/**
 * How whole a node's free units stay, 0 to 100, in blocks of the given sizes.
 *
 * Free units hold `floor(free / size)` blocks of a size. A pod that takes `asked` units cannot but take
 * `floor(asked / size)` of them; taking one more breaks a block that another place would have left whole. The score is
 * the share of the sizes that stay whole, each counted by its size, so that the largest weigh most. Sizes that divide
 * `asked` say nothing, for they lose the same everywhere, and are left out. Truncated; 100 when no size has a say.
 *
 * With 5 units free and 2 asked, sizes 2, 4 and 8: 2 divides 2; of blocks of 4 there is 1 before and none after, although
 * 2 units need none, so 4 breaks; of 8 there was none to break. 8 of 12 stay whole: 66.
 *
 * @param free - Units before the pod comes; what is below 0 counts as 0.
 * @param asked - Units that the pod takes, above 0.
 * @param sizes - Whole numbers above 0.
 */
export function wholeBlocks(free: number, asked: number, sizes: readonly number[]): number {
  const before = Math.max(0, free)
  const after = Math.max(0, free - asked)
  let whole = 0
  let all = 0
  for (const size of sizes) {
    if (asked % size === 0) continue
    all += size
    const lost = Math.floor(before / size) - Math.floor(after / size)
    if (lost <= Math.floor(asked / size)) whole += size
  }
  return all === 0 ? MAX_NODE_SCORE : Math.floor((whole * MAX_NODE_SCORE) / all)
}

/** 2, 4, 8, ... up to `largest`: how devices are mostly asked for. Empty below 2. */
export function powersOfTwo(largest: number): readonly number[] {
  const sizes: number[] = []
  for (let size = 2; size <= largest; size *= 2) sizes.push(size)
  return sizes
}
