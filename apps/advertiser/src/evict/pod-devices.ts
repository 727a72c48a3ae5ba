import { isSidecar, isTerminal } from '@berth/resources'
import type { Container, ContainerStatus, Pod } from '@berth/types'

/** A device that a container of a pod holds. */
export interface PodDevice {
  readonly resourceName: string
  readonly id: string
}

/**
 * Returns the devices of these resources that the kubelet reports as Unhealthy in the status of a pod, without
 * duplicates. Empty for a pod that ends or has ended. `Unknown` is not Unhealthy: then the kubelet cannot tell.
 *
 * @see kubernetes pkg/kubelet/cm/devicemanager/manager.go UpdateAllocatedResourcesStatus (v1.36)
 */
export function unhealthyDevices(pod: Pod, resources: ReadonlySet<string>): readonly PodDevice[] {
  if (pod.metadata.deletionTimestamp !== undefined || isTerminal(pod)) return []
  const devices = new Map<string, PodDevice>()
  for (const { allocatedResourcesStatus = [] } of runningStatuses(pod)) {
    for (const { name, resources: entries = [] } of allocatedResourcesStatus) {
      if (!resources.has(name)) continue
      for (const { resourceID: id, health } of entries) {
        if (health === 'Unhealthy') devices.set(deviceKey({ resourceName: name, id }), { resourceName: name, id })
      }
    }
  }
  return [...devices.values()]
}

/** Returns a key that is unique among the devices of a node. */
export function deviceKey({ resourceName, id }: PodDevice): string {
  return `${resourceName} ${id}`
}

/** Returns those of these resources that the containers of a running pod request; empty for a pod that does not run. */
export function heldResources(pod: Pod, resources: ReadonlySet<string>): ReadonlySet<string> {
  if (pod.status?.phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return new Set()
  const limits = runningContainers(pod).flatMap((container) => Object.entries(container.resources?.limits ?? {}))
  return new Set(limits.flatMap(([name, amount]) => (resources.has(name) && Number(amount) !== 0 ? [name] : [])))
}

/** Returns whether a container of a running pod requests one of these resources. */
export function holdsDevices(pod: Pod, resources: ReadonlySet<string>): boolean {
  return heldResources(pod, resources).size > 0
}

/** Returns whether the kubelet reports the health of any device of one of these resources in the status of a pod. */
export function reportsHealth(pod: Pod, resources: ReadonlySet<string>): boolean {
  return runningStatuses(pod).some(({ allocatedResourcesStatus = [] }) =>
    allocatedResourcesStatus.some(({ name }) => resources.has(name)),
  )
}

/** Containers that run for the lifetime of the pod. The devices of other init containers pass on to these. */
function runningContainers({ spec: { containers, initContainers = [] } }: Pod): readonly Container[] {
  return [...containers, ...initContainers.filter((container) => isSidecar(container))]
}

function runningStatuses(pod: Pod): readonly ContainerStatus[] {
  const names = new Set(runningContainers(pod).map(({ name }) => name))
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  return [...containerStatuses, ...initContainerStatuses].filter(({ name }) => names.has(name))
}
