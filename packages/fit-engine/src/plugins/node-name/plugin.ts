import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'

const REASONS = ["node(s) didn't match the requested node name"] as const

/**
 * Rejects all nodes but the one that the pod names in spec.nodeName.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodename/node_name.go (v1.36)
 */
export const nodeName: EnginePlugin = {
  name: 'NodeName',
  filter,
  passesAfterRemovals: true,
}

function filter(
  { spec }: Pod,
  { rows, count }: Candidates,
  output: EngineFilterOutput,
  { cluster }: EngineContext,
): void {
  const requestedName = spec.nodeName ?? ''
  if (requestedName === '') return
  for (let i = 0; i < count; i++) {
    if (cluster.nodeName(rows[i] ?? 0) === requestedName) continue
    output.rejectShared(i, StatusCode.UnschedulableAndUnresolvable, REASONS)
  }
}
