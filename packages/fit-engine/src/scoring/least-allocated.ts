import { MAX_NODE_SCORE } from '@berth/types'
import { EXACT_SCORE_LIMIT, type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'
import { truncatedMean } from './weighted-mean.ts'

/**
 * Prefers nodes with much left: the free share in percent, truncated.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go (v1.36)
 */
export const leastAllocated: ScoringStrategy = {
  isZeroLeftOut: false,
  addNumbers({ rows, count, used, has, asked, weight }, start, { scores, weights }) {
    for (let i = start; i < count; i++) {
      const row = rows[i] ?? 0
      const total = has[row] ?? 0
      if (total === 0) continue
      const requested = (used[row] ?? 0) + asked
      if (!(requested >= 0 && requested <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT)) return i
      scores[i] = (scores[i] ?? 0) + freeShare(requested, total) * weight
      weights[i] = (weights[i] ?? 0) + weight
    }
    return count
  },
  scorePair: (first, second, scores) =>
    pairLoop(
      first.rows,
      first.count,
      first.used,
      first.has,
      first.asked,
      first.weight,
      second.used,
      second.has,
      second.asked,
      second.weight,
      scores,
    ),
  ofBigints: (requested, allocatable) =>
    requested > allocatable
      ? 0n
      : wrappedProduct(BigInt.asIntN(64, allocatable - requested), BigInt(MAX_NODE_SCORE)) / allocatable,
  average: truncatedMean,
}

function freeShare(requested: number, total: number): number {
  return requested > total ? 0 : Math.trunc(((total - requested) * MAX_NODE_SCORE) / total)
}

/** Plain arguments: a loop over fields of objects is half as fast. */
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
  const weight = weight1 + weight2
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total1 = has1[row] ?? 0
    const total2 = has2[row] ?? 0
    const requested1 = (used1[row] ?? 0) + ask1
    const requested2 = (used2[row] ?? 0) + ask2
    if (!(requested1 >= 0 && requested1 <= EXACT_SCORE_LIMIT && total1 > 0 && total1 <= EXACT_SCORE_LIMIT)) return i
    if (!(requested2 >= 0 && requested2 <= EXACT_SCORE_LIMIT && total2 > 0 && total2 <= EXACT_SCORE_LIMIT)) return i
    const sum = freeShare(requested1, total1) * weight1 + freeShare(requested2, total2) * weight2
    scores[i] = Math.trunc(sum / weight)
  }
  return count
}
