import type { ContainerPort, Pod } from '@berth/types'
import { isSidecar } from './aggregate-containers.ts'

/** A port of the node that a pod uses. */
export interface HostPort {
  /** `0.0.0.0` stands for every address. */
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

/** Returns whether {@link hostPorts} of the pod is not empty. Faster than computing it. */
export function usesHostPorts({ spec }: Pod): boolean {
  for (const { ports } of spec.containers ?? []) if (ports?.some(hasHostPort) === true) return true
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container) && container.ports?.some(hasHostPort) === true) return true
  }
  return false
}

function hasHostPort({ hostPort = 0 }: ContainerPort): boolean {
  return hostPort > 0
}

const ANY_ADDRESS = '0.0.0.0'

/**
 * Returns the ports of the node that the pod's containers and sidecars use, without duplicates, ordered by address,
 * protocol and port (`GetHostPorts` and `HostPortInfo` of kube-scheduler, v1.36).
 */
export function hostPorts(pod: Pod): readonly HostPort[] {
  const containers = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...(pod.spec.containers ?? [])]
  const byKey = new Map<string, HostPort>()
  for (const { hostPort = 0, hostIP, protocol } of containers.flatMap(({ ports }) => ports ?? [])) {
    if (hostPort <= 0) continue
    const port = { ip: hostIP || ANY_ADDRESS, protocol: protocol || 'TCP', port: hostPort }
    byKey.set(`${port.ip} ${port.protocol} ${port.port}`, port)
  }
  return [...byKey.values()].toSorted(compareHostPorts)
}

/** Returns whether two pods that use these ports cannot share a node. */
export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS
}

function compareHostPorts(a: HostPort, b: HostPort): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1
  if (a.protocol !== b.protocol) return a.protocol < b.protocol ? -1 : 1
  return a.port - b.port
}
