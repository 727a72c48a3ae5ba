import { MAX_NODE_SCORE } from '@berth/types'
import { type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'

/**
 * Prefers nodes with much left: the free share in percent, truncated.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/least_allocated.go (v1.36)
 */
export const leastAllocated: ScoringStrategy = {
  isZeroLeftOut: false,
  ofNumbers: (requested, allocatable) =>
    requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * MAX_NODE_SCORE) / allocatable),
  ofBigints: (requested, allocatable) =>
    requested > allocatable
      ? 0n
      : wrappedProduct(BigInt.asIntN(64, allocatable - requested), BigInt(MAX_NODE_SCORE)) / allocatable,
  average: (sum, weight) => (weight === 0 ? 0 : Math.trunc(sum / weight)),
}
