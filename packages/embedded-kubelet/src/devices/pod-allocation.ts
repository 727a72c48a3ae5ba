import type { Container, Pod, ResourceRequirements } from '@berth/types'

/** What a pod has got on its node: of its containers by name, and as a whole. */
export interface PodAllocation {
  readonly containers: ReadonlyMap<string, ResourceRequirements>
  readonly podLevel: ResourceRequirements | undefined
}

/** What the pod asks for, as if it had got it. */
export function allocationOf({ spec }: Pod): PodAllocation {
  const all = [...(spec.initContainers ?? []), ...spec.containers]
  return { containers: new Map(all.map(({ name, resources = {} }) => [name, resources])), podLevel: spec.resources }
}

/**
 * What a pod that runs already has, read back from its status; what that does not say of a container is what its spec
 * asks for.
 */
export function allocationFromStatus(pod: Pod): PodAllocation {
  const asked = allocationOf(pod)
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  const reported = statuses.flatMap(({ name, resources }) =>
    resources === undefined ? [] : [[name, resources] as const],
  )
  const whole = asked.podLevel === undefined ? undefined : (pod.status?.resources ?? asked.podLevel)
  return { podLevel: whole, containers: new Map([...asked.containers, ...reported]) }
}

/** The pod with the resources that it has got instead of those that it asks for. */
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

/** Whether the pod asks for something else than it has. */
export function isResized(pod: Pod, allocation: PodAllocation): boolean {
  const asked = allocationOf(pod)
  return (
    amounts(asked.podLevel) !== amounts(allocation.podLevel) ||
    [...asked.containers].some(([name, resources]) => amounts(resources) !== amounts(allocation.containers.get(name)))
  )
}

function amounts({ requests = {}, limits = {} }: ResourceRequirements = {}): string {
  const sorted = (list: object): unknown => Object.entries(list).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([sorted(requests), sorted(limits)])
}
