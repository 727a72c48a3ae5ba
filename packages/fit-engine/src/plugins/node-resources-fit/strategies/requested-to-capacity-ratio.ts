import { EXACT_SCORE_LIMIT, type ScoringStrategy, wrappedProduct } from './scoring-strategy.ts'
import { roundedMean } from './weighted-mean.ts'

const FULL = 100
/** Shape points score 0 to 10, nodes 0 to 100. */
const SCORE_SCALE = 10

/** `kubescheduler.config.k8s.io/v1` UtilizationShapePoint. */
export interface ShapePoint {
  /** Percent, 0 to 100. */
  readonly utilization: number
  /** 0 to 10. */
  readonly score: number
}

/** Returns the line through the points in integer arithmetic, flat before the first and after the last. */
function interpolate(shape: readonly ShapePoint[]): (utilization: number) => number {
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
 * Scores the used share by a shape that the operator configures.
 *
 * @param shape - At least one point, in order of utilization.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/requested_to_capacity_ratio.go (v1.36)
 */
export function requestedToCapacityRatio(shape: readonly ShapePoint[]): ScoringStrategy {
  const scoreAt = interpolate(shape)
  return {
    ignoresZeroScores: true,
    addNumbers({ rows, count, requested, allocatable, podRequest, weight }, start, { scores, weights }) {
      for (let i = start; i < count; i++) {
        const row = rows[i] ?? 0
        const total = allocatable[row] ?? 0
        if (total === 0) continue
        const sum = (requested[row] ?? 0) + podRequest
        if (!(sum >= 0 && sum <= EXACT_SCORE_LIMIT && total > 0 && total <= EXACT_SCORE_LIMIT)) return i
        const score = scoreAt(sum > total ? FULL : Math.trunc((sum * FULL) / total))
        if (score <= 0) continue
        scores[i] = (scores[i] ?? 0) + score * weight
        weights[i] = (weights[i] ?? 0) + weight
      }
      return count
    },
    scoreExact: (requested, allocatable) =>
      BigInt(scoreAt(requested > allocatable ? FULL : Number(wrappedProduct(requested, BigInt(FULL)) / allocatable))),
    average: roundedMean,
  }
}
