import { type HostPort, hostPorts, usesHostPorts } from '@berth/resources'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../../framework/engine-plugin.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { portConflicts } from './port-conflicts.ts'
import { portCauses } from './causes.ts'
import { nodePortsTopics } from './hint.ts'

const REASONS = ["node(s) didn't have free ports for the requested pod ports"] as const

/**
 * Rejects nodes on which a host port that the pod requests is in use.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeports/node_ports.go (v1.36)
 */
export const nodePorts: EnginePlugin = {
  name: 'NodePorts',
  eventTopics: () => nodePortsTopics,
  preFilter: (pod) => (usesHostPorts(pod) ? undefined : { kind: 'skip' }),
  filter,
  causes: portCauses,
  passesAfterRemovals: true,
}

function isTaken(conflicts: (taken: HostPort) => boolean, row: number, cluster: ClusterTable): boolean {
  const dryRunPorts = cluster.dryRunPorts.get(row)
  if (dryRunPorts !== undefined) return dryRunPorts.some(conflicts)
  return cluster.podsOn(row).some((other) => usesHostPorts(other) && hostPorts(other).some(conflicts))
}

function filter(pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, { cluster }: EngineContext): void {
  const requested = hostPorts(pod)
  if (requested.length === 0) return
  const conflicts = portConflicts(requested)
  for (let i = 0; i < count; i++) {
    if (!isTaken(conflicts, rows[i] ?? 0, cluster)) continue
    output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}
