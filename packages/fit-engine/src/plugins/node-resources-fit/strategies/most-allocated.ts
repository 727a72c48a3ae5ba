import { MAX_NODE_SCORE } from '@berth/types'
import { EXACT_SCORE_LIMIT, type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'
import { truncatedMean } from './weighted-mean.ts'

/**
 * Prefers nodes with little left: the used share in percent, truncated; what is over-used counts as full.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/most_allocated.go (v1.36)
 */
export const mostAllocated: ScoringStrategy = {
  isZeroLeftOut: false,
  addNumbers({ rows, count, used, has, asked, weight }, start, { scores, weights }) {
    for (let i = start; i < count; i++) {
      const row = rows[i] ?? 0
      const total = has[row] ?? 0
      if (total === 0) continue
      const requested = (used[row] ?? 0) + asked
      if (!(requested >= 0 && requested <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT)) return i
      const score = Math.trunc((Math.min(requested, total) * MAX_NODE_SCORE) / total)
      scores[i] = (scores[i] ?? 0) + score * weight
      weights[i] = (weights[i] ?? 0) + weight
    }
    return count
  },
  ofBigints: (requested, allocatable) =>
    wrappedProduct(requested > allocatable ? allocatable : requested, BigInt(MAX_NODE_SCORE)) / allocatable,
  average: truncatedMean,
}
