import { isTerminal } from '@berth/resources'
import { printableLine } from '@berth/text/printable'
import type { Pod } from '@berth/types'
import { fitTable } from '../../output/fit-table.ts'

/** A device that a container holds, or that is not healthy. */
export interface HeldDevice {
  readonly node: string
  readonly id: string
  /** Healthy, Unhealthy or Unknown. */
  readonly health: string
  /** Why it is not healthy, where the device plugin says so. */
  readonly reason?: string
  /** The container that holds it: namespace, pod and container. Absent for a device that no container holds. */
  readonly namespace?: string
  readonly pod?: string
  readonly container?: string
}

/**
 * Returns the devices that containers hold, by resource. It has what the kubelets report in the pods' status
 * (`allocatedResourcesStatus`, feature gate ResourceHealthStatus, on by default from Kubernetes 1.36), so a resource
 * without device plugin has none.
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
  return byResource
}

/** Returns devices sorted by node, id and pod. */
export function sortDevices(devices: readonly HeldDevice[]): readonly HeldDevice[] {
  const key = ({ node, id, pod = '' }: HeldDevice): string => JSON.stringify([node, id, pod])
  return devices.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Returns who holds a device: `namespace/pod/container`; undefined when no container does. */
export function holderOf({ namespace, pod, container }: HeldDevice): string | undefined {
  return pod === undefined ? undefined : `${namespace}/${pod}/${container}`
}

const columns = ['  HELD BY', 'NODE', 'DEVICE', 'HEALTH'].map((header) => ({ header, rank: 0 }))

/** Renders the devices of a resource as lines. Empty if there is none. */
export function heldDevicesLines(devices: readonly HeldDevice[], width: number): readonly string[] {
  if (devices.length === 0) return []
  const rows = devices.map((device) => {
    const { node, id, health, reason } = device
    const state = reason === undefined ? health : `${health}: ${reason}`
    return [`  ${holderOf(device) ?? 'none'}`, node, id, state].map((cell) => printableLine(cell))
  })
  return fitTable(columns, rows, width)
}
