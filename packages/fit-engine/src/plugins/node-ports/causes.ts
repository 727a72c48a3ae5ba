import { type HostPort, hostPorts, hostPortsConflict, usesHostPorts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { podName } from '../causes/pod-names.ts'

/** Names the host ports that are in use on a node, and the pods that use them. */
export function portCauses(pod: Pod, cluster: ClusterTable): (row: number) => readonly string[] {
  const requested = hostPorts(pod)
  return (row) => {
    const others = cluster.podsOn(row).filter(usesHostPorts)
    return requested.flatMap((port) =>
      others
        .filter((other) => hostPorts(other).some((taken) => hostPortsConflict(port, taken)))
        .map((other) => `Host port ${portText(port)} is in use by pod ${podName(other)}.`),
    )
  }
}

function portText({ ip, protocol, port }: HostPort): string {
  return `${ip === '' || ip === '0.0.0.0' ? '' : `${ip}:`}${port}/${protocol}`
}
