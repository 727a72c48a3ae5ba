import type { Container, Pod, ResourceRequirements } from '@berth/types'

/** The resources that a pod was granted on its node: per container, and at pod level. */
export interface PodAllocation {
  readonly containers: ReadonlyMap<string, ResourceRequirements>
  readonly podLevel: ResourceRequirements | undefined
}

/** Returns the allocation that grants everything the pod requests. */
export function allocationOf({ spec }: Pod): PodAllocation {
  const all = [...(spec.initContainers ?? []), ...spec.containers]
  return { containers: new Map(all.map(({ name, resources = {} }) => [name, resources])), podLevel: spec.resources }
}

/**
 * Returns the allocation of a running pod from its status. Containers that the status does not report have what their
 * spec requests.
 */
export function allocationFromStatus(pod: Pod): PodAllocation {
  const requested = allocationOf(pod)
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  const reported = statuses.flatMap(({ name, resources }) =>
    resources === undefined ? [] : [[name, resources] as const],
  )
  const whole = requested.podLevel === undefined ? undefined : (pod.status?.resources ?? requested.podLevel)
  return { podLevel: whole, containers: new Map([...requested.containers, ...reported]) }
}

/** Returns the pod with the granted resources in place of the requested ones. */
export function withAllocatedResources(pod: Pod, { containers, podLevel: whole }: PodAllocation): Pod {
  const allocated = (container: Container): Container => {
    const resources = containers.get(container.name)
    return resources === undefined ? container : { ...container, resources }
  }
  const { resources: _, initContainers, ...spec } = pod.spec
  return {
    ...pod,
    spec: {
      ...spec,
      containers: spec.containers.map(allocated),
      ...(initContainers !== undefined && { initContainers: initContainers.map(allocated) }),
      ...(whole !== undefined && { resources: whole }),
    },
  }
}

/** Returns whether the pod requests other resources than it was granted. */
export function isResized(pod: Pod, allocation: PodAllocation): boolean {
  const requested = allocationOf(pod)
  return (
    amounts(requested.podLevel) !== amounts(allocation.podLevel) ||
    [...requested.containers].some(
      ([name, resources]) => amounts(resources) !== amounts(allocation.containers.get(name)),
    )
  )
}

function amounts({ requests = {}, limits = {} }: ResourceRequirements = {}): string {
  const sorted = (list: object): unknown => Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([sorted(requests), sorted(limits)])
}
