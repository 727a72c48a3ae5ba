import { type Candidates, type Pod, StatusCode, type Taint } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import { tolerationMatcher } from '../../selectors/tolerations.ts'
import { NODE_UNSCHEDULABLE } from '../../state/nodes/node-rows.ts'
import { nodeUnschedulableTopics } from './hint.ts'

const REASONS = ['node(s) were unschedulable'] as const
/** The taint that stands for a cordoned node. */
export const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/**
 * Rejects cordoned nodes, unless the pod tolerates the taint of such nodes.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (v1.36)
 */
export const nodeUnschedulable: EnginePlugin = {
  name: 'NodeUnschedulable',
  eventTopics: () => nodeUnschedulableTopics,
  filter,
  causes: () => () => ['The node is cordoned (spec.unschedulable is true).'],
  passesAfterRemovals: true,
}

function filter(
  { spec }: Pod,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  if (!cluster.rows.hasAny(NODE_UNSCHEDULABLE)) return
  const { flags } = cluster.rows
  let isTolerated: boolean | undefined
  for (let i = 0; i < count; i++) {
    if (((flags[rows[i] ?? 0] ?? 0) & NODE_UNSCHEDULABLE) === 0) continue
    isTolerated ??= tolerationMatcher(spec.tolerations)(CORDONED)
    if (isTolerated) return
    output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, REASONS)
  }
}
