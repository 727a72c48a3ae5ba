import { type HostPort, hostPorts, hostPortsConflict, usesHostPorts } from '@berth/resources'
import { type Candidates, type Pod, StatusCode } from '@berth/types'
import type { EngineContext, EngineFilterOutput, EnginePlugin } from '../framework/engine-plugin.ts'

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

function isTaken(wanted: readonly HostPort[], pod: Pod): boolean {
  return usesHostPorts(pod) && hostPorts(pod).some((used) => wanted.some((port) => hostPortsConflict(port, used)))
}

function filter(pod: Pod, { rows, count }: Candidates, output: EngineFilterOutput, { cluster }: EngineContext): void {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return
  for (let i = 0; i < count; i++) {
    if (!cluster.podsOn(rows[i] ?? 0).some((other) => isTaken(wanted, other))) continue
    output.rejectShared(i, StatusCode.Unschedulable, REASONS)
  }
}
