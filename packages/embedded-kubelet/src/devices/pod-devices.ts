import type { ContainerAllocateResponse } from '@berth/kubelet-api'

/** What one container holds of one resource. */
export interface ContainerAllocation {
  readonly podUid: string
  readonly container: string
  readonly resourceName: string
  readonly deviceIds: readonly string[]
  /** The plugin's answer, used again for every restart of the container. */
  readonly response: ContainerAllocateResponse
}

/** The devices that containers hold, in the order in which they were given. */
export interface PodDevices {
  insert(allocation: ContainerAllocation): void
  find(podUid: string, container: string, resourceName: string): ContainerAllocation | undefined
  ofContainer(podUid: string, container: string): readonly ContainerAllocation[]
  ofPod(podUid: string): readonly ContainerAllocation[]
  /** Ids of the resource that some container holds. */
  inUse(resourceName: string): ReadonlySet<string>
  hasResource(resourceName: string): boolean
  hasPod(podUid: string): boolean
  /** Drops pods that are not in the set; true when that changed anything. */
  keepPods(podUids: ReadonlySet<string>): boolean
  all(): readonly ContainerAllocation[]
}

/** Creates a table that holds `initial` (from a checkpoint). */
export function createPodDevices(initial: readonly ContainerAllocation[] = []): PodDevices {
  let allocations: readonly ContainerAllocation[] = [...initial]
  const ofPod = (podUid: string): readonly ContainerAllocation[] =>
    allocations.filter((allocation) => allocation.podUid === podUid)
  const ofContainer = (podUid: string, container: string): readonly ContainerAllocation[] =>
    ofPod(podUid).filter((allocation) => allocation.container === container)

  return {
    insert(allocation) {
      allocations = [...allocations, allocation]
    },
    find: (podUid, container, resourceName) =>
      ofContainer(podUid, container).find((allocation) => allocation.resourceName === resourceName),
    ofContainer,
    ofPod,
    inUse: (resourceName) =>
      new Set(allocations.filter((each) => each.resourceName === resourceName).flatMap(({ deviceIds }) => deviceIds)),
    hasResource: (resourceName) => allocations.some((allocation) => allocation.resourceName === resourceName),
    hasPod: (podUid) => allocations.some((allocation) => allocation.podUid === podUid),
    keepPods(podUids) {
      const kept = allocations.filter((allocation) => podUids.has(allocation.podUid))
      const hasChanged = kept.length !== allocations.length
      allocations = kept
      return hasChanged
    },
    all: () => allocations,
  }
}
