import { type HostPort, hostPorts, hostPortsConflict, usesHostPorts } from '@berth/resources'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'
import type { ClusterTable } from '../state/cluster-table.ts'

const REASONS = ["node(s) didn't have free ports for the requested pod ports"] as const

/**
 * Keeps pods off nodes on which a port of the host that they want is taken.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/nodeports/node_ports.go (v1.36)
 */
export const nodePorts: EnginePlugin = {
  name: 'NodePorts',
  preFilter: (pod) => (usesHostPorts(pod) ? undefined : { kind: 'skip' }),
  filter,
}

function conflicts(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  return taken.some((used) => wanted.some((port) => hostPortsConflict(port, used)))
}

function isTaken(wanted: readonly HostPort[], row: number, cluster: ClusterTable): boolean {
  const onTrial = cluster.trialPorts.get(row)
  if (onTrial !== undefined) return conflicts(wanted, onTrial)
  return cluster.podsOn(row).some((other) => usesHostPorts(other) && conflicts(wanted, hostPorts(other)))
}

function filter(pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, { cluster }: EngineContext): void {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return
  for (let i = 0; i < count; i++) {
    if (!isTaken(wanted, rows[i] ?? 0, cluster)) continue
    output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}
