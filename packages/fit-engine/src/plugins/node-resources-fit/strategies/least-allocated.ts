import { MAX_NODE_SCORE } from '@berth/types'
import { EXACT_SCORE_LIMIT, type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'
import { truncatedMean } from './weighted-mean.ts'

/**
 * Prefers nodes with much free capacity: the score is the free share in percent, truncated.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go (v1.36)
 */
export const leastAllocated: ScoringStrategy = {
  ignoresZeroScores: false,
  addNumbers({ rows, count, requested, allocatable, podRequest, weight }, start, { scores, weights }) {
    for (let i = start; i < count; i++) {
      const row = rows[i] ?? 0
      const total = allocatable[row] ?? 0
      if (total === 0) continue
      const sum = (requested[row] ?? 0) + podRequest
      if (!(sum >= 0 && sum <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT)) return i
      scores[i] = (scores[i] ?? 0) + freeShare(sum, total) * weight
      weights[i] = (weights[i] ?? 0) + weight
    }
    return count
  },
  scorePair: (first, second, scores) =>
    pairLoop(
      first.rows,
      first.count,
      first.requested,
      first.allocatable,
      first.podRequest,
      first.weight,
      second.requested,
      second.allocatable,
      second.podRequest,
      second.weight,
      scores,
    ),
  scoreExact: (requested, allocatable) =>
    requested > allocatable
      ? 0n
      : wrappedProduct(BigInt.asIntN(64, allocatable - requested), BigInt(MAX_NODE_SCORE)) / allocatable,
  average: truncatedMean,
}

function freeShare(requested: number, total: number): number {
  return requested > total ? 0 : Math.trunc(((total - requested) * MAX_NODE_SCORE) / total)
}

/**
 * Takes plain arguments, because a loop over object fields takes twice as long. Multiplies by 1 / (sum of the weights)
 * instead of dividing. Adding half of that factor keeps rounding errors from lowering the truncated mean by 1.
 */
function pairLoop(
  rows: Int32Array,
  count: number,
  used1: Float64Array,
  has1: Float64Array,
  ask1: number,
  weight1: number,
  used2: Float64Array,
  has2: Float64Array,
  ask2: number,
  weight2: number,
  scores: Float64Array,
): number {
  const scale = 1 / (weight1 + weight2)
  const factor1 = weight1 * scale
  const factor2 = weight2 * scale
  const half = scale / 2
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total1 = has1[row] ?? 0
    const total2 = has2[row] ?? 0
    if (!(total1 > 0 && total2 > 0)) return i
    const left1 = total1 - (used1[row] ?? 0) - ask1
    const left2 = total2 - (used2[row] ?? 0) - ask2
    const share1 = left1 > 0 ? Math.floor((left1 * MAX_NODE_SCORE) / total1) : 0
    const share2 = left2 > 0 ? Math.floor((left2 * MAX_NODE_SCORE) / total2) : 0
    scores[i] = Math.floor(share1 * factor1 + share2 * factor2 + half)
  }
  return count
}
