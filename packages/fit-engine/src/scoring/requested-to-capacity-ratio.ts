import type { ShapePoint } from '../plugin-args.ts'
import { type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'

const FULL = 100
/** Shapes score 0 to 10, nodes 0 to 100. */
const SCORE_SCALE = 10

/** The line through the points, in whole numbers, flat before the first and after the last. */
function brokenLine(shape: readonly ShapePoint[]): (utilization: number) => number {
  return (utilization) => {
    let before: ShapePoint | undefined
    for (const point of shape) {
      if (utilization <= point.utilization) {
        if (before === undefined) return point.score * SCORE_SCALE
        const rise = (point.score - before.score) * SCORE_SCALE
        const run = point.utilization - before.utilization
        return before.score * SCORE_SCALE + Math.trunc((rise * (utilization - before.utilization)) / run)
      }
      before = point
    }
    return (before?.score ?? 0) * SCORE_SCALE
  }
}

/**
 * Scores the used share by a shape that the operator draws.
 *
 * @param shape - At least one point, by rising utilization.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go (v1.36)
 */
export function requestedToCapacityRatio(shape: readonly ShapePoint[]): ScoringStrategy {
  const line = brokenLine(shape)
  return {
    isZeroLeftOut: true,
    ofNumbers: (requested, allocatable) =>
      line(requested > allocatable ? FULL : Math.trunc((requested * FULL) / allocatable)),
    ofBigints: (requested, allocatable) =>
      BigInt(line(requested > allocatable ? FULL : Number(wrappedProduct(requested, BigInt(FULL)) / allocatable))),
    average: (sum, weight) => (weight === 0 ? 0 : Math.round(sum / weight)),
  }
}
