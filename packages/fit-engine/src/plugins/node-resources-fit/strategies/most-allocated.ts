import { MAX_NODE_SCORE } from '@berth/types'
import { EXACT_SCORE_LIMIT, type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'
import { truncatedMean } from './weighted-mean.ts'

/**
 * Prefers nodes with little free capacity: the score is the used share in percent, truncated, at most 100.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/most_allocated.go (v1.36)
 */
export const mostAllocated: ScoringStrategy = {
  ignoresZeroScores: false,
  addNumbers({ rows, count, requested, allocatable, podRequest, weight }, start, { scores, weights }) {
    for (let i = start; i < count; i++) {
      const row = rows[i] ?? 0
      const total = allocatable[row] ?? 0
      if (total === 0) continue
      const sum = (requested[row] ?? 0) + podRequest
      if (!(sum >= 0 && sum <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT)) return i
      const score = Math.trunc((Math.min(sum, total) * MAX_NODE_SCORE) / total)
      scores[i] = (scores[i] ?? 0) + score * weight
      weights[i] = (weights[i] ?? 0) + weight
    }
    return count
  },
  scoreExact: (requested, allocatable) =>
    wrappedProduct(requested > allocatable ? allocatable : requested, BigInt(MAX_NODE_SCORE)) / allocatable,
  average: truncatedMean,
}
