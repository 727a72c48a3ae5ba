import { MAX_NODE_SCORE } from '@berth/types'

/**
 * Scales scores in place so that the highest becomes 100; with `isReversed` the highest becomes 0 and 0 becomes 100.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/helper/normalize_score.go (v1.36)
 */
export function normalizeScores(scores: Float64Array, count: number, isReversed: boolean): void {
  let highest = 0
  for (let i = 0; i < count; i++) highest = Math.max(highest, scores[i] ?? 0)
  if (highest === 0) {
    if (isReversed) scores.fill(MAX_NODE_SCORE, 0, count)
    return
  }
  for (let i = 0; i < count; i++) {
    const share = Math.trunc((MAX_NODE_SCORE * (scores[i] ?? 0)) / highest)
    scores[i] = isReversed ? MAX_NODE_SCORE - share : share
  }
}
