import { MAX_NODE_SCORE } from '@berth/types'
import { type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'

/**
 * Prefers nodes with little left: the used share in percent, truncated; what is over-used counts as full.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/most_allocated.go (v1.36)
 */
export const mostAllocated: ScoringStrategy = {
  isZeroLeftOut: false,
  ofNumbers: (requested, allocatable) => Math.trunc((Math.min(requested, allocatable) * MAX_NODE_SCORE) / allocatable),
  ofBigints: (requested, allocatable) =>
    wrappedProduct(requested > allocatable ? allocatable : requested, BigInt(MAX_NODE_SCORE)) / allocatable,
  average: (sum, weight) => (weight === 0 ? 0 : Math.trunc(sum / weight)),
}
