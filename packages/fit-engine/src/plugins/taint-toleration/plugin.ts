import { type Candidates, MAX_NODE_SCORE, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { normalizeScores } from '../../framework/normalize-scores.ts'
import { keepsPodsOff, tolerationMatcher } from '../../selectors/tolerations.ts'
import { NODE_SOFT_TAINTED, NODE_TAINTED } from '../../state/nodes/node-rows.ts'
import { taintCauses } from './causes.ts'
import { taintTolerationTopics } from './hint.ts'

const REASONS = ['node(s) had untolerated taint(s)'] as const

/**
 * Rejects nodes with a NoSchedule or NoExecute taint that the pod does not tolerate, and prefers nodes with fewer
 * PreferNoSchedule taints that it does not tolerate.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (v1.36)
 */
export const taintToleration: EnginePlugin = {
  name: 'TaintToleration',
  eventTopics: () => taintTolerationTopics,
  filter,
  causes: taintCauses,
  passesAfterRemovals: true,
  score,
  uniformScore: (_pod, { cluster }) => (cluster.rows.hasAny(NODE_SOFT_TAINTED) ? undefined : MAX_NODE_SCORE),
  normalizeScore: (_pod, { count }, scores) => normalizeScores(scores, count, true),
}

function filter(
  { spec }: Pod,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  if (!cluster.rows.hasAny(NODE_TAINTED)) return
  const { flags } = cluster.rows
  const isTolerated = tolerationMatcher(spec.tolerations)
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (((flags[row] ?? 0) & NODE_TAINTED) === 0) continue
    const taints = cluster.node(row).spec?.taints ?? []
    if (taints.every((taint) => !keepsPodsOff(taint) || isTolerated(taint))) continue
    output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, REASONS)
  }
}

function score({ spec }: Pod, { rows, count }: Candidates, scores: Float64Array, { cluster }: EngineContext): void {
  if (!cluster.rows.hasAny(NODE_SOFT_TAINTED)) return
  const { flags } = cluster.rows
  const isTolerated = tolerationMatcher(spec.tolerations)
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (((flags[row] ?? 0) & NODE_SOFT_TAINTED) === 0) continue
    const taints = cluster.node(row).spec?.taints ?? []
    scores[i] = taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint)).length
  }
}
