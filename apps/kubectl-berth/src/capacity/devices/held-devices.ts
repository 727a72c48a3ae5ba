import { isTerminal } from '@berth/resources'
import { printableLine } from '@berth/text/printable'
import type { Pod } from '@berth/types'
import { alignColumns } from '../../output/align-columns.ts'

/** A device that a container holds. */
export interface HeldDevice {
  readonly node: string
  readonly id: string
  /** Healthy, Unhealthy or Unknown. */
  readonly health: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/**
 * Returns the devices that containers hold, by resource; each list is sorted by node and id. It has what the kubelets
 * report in the pods' status (`allocatedResourcesStatus`, feature gate ResourceHealthStatus, on by default from Kubernetes
 * 1.36), so a resource without device plugin has none.
 */
export function heldDevices(pods: readonly Pod[]): ReadonlyMap<string, readonly HeldDevice[]> {
  const byResource = new Map<string, HeldDevice[]>()
  for (const pod of pods.filter((each) => !isTerminal(each))) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
    for (const { name: container, allocatedResourcesStatus = [] } of [...initContainerStatuses, ...containerStatuses]) {
      for (const { name, resources = [] } of allocatedResourcesStatus) {
        const list = byResource.get(name) ?? []
        byResource.set(name, list)
        for (const { resourceID: id, health = 'Unknown' } of resources) {
          const { name: podName = '', namespace = '' } = pod.metadata
          list.push({ node: pod.spec.nodeName ?? '', id, health, namespace, pod: podName, container })
        }
      }
    }
  }
  const key = ({ node, id, pod }: HeldDevice): string => JSON.stringify([node, id, pod])
  for (const list of byResource.values()) list.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return byResource
}

/** Renders the held devices of a resource as lines. Empty if none is reported. */
export function heldDevicesLines(devices: readonly HeldDevice[]): readonly string[] {
  if (devices.length === 0) return []
  return alignColumns([
    ['  HELD BY', 'NODE', 'DEVICE', 'HEALTH'],
    ...devices.map(({ namespace, pod, container, node, id, health }) =>
      [`  ${namespace}/${pod}/${container}`, node, id, health].map((cell) => printableLine(cell)),
    ),
  ])
}
