import type { ContainerAllocateResponse } from '@berth/kubelet-api'

/** The devices of one resource that one container holds. */
export interface ContainerAllocation {
  readonly podUid: string
  readonly container: string
  readonly resourceName: string
  readonly deviceIds: readonly string[]
  /** The plugin's response, which every restart of the container uses again. */
  readonly response: ContainerAllocateResponse
}

/** The devices that containers hold, in the order of their allocation. */
export interface PodDevices {
  insert(allocation: ContainerAllocation): void
  find(podUid: string, container: string, resourceName: string): ContainerAllocation | undefined
  ofContainer(podUid: string, container: string): readonly ContainerAllocation[]
  ofPod(podUid: string): readonly ContainerAllocation[]
  /** Returns the ids of the resource that any container holds. */
  inUse(resourceName: string): ReadonlySet<string>
  hasResource(resourceName: string): boolean
  hasPod(podUid: string): boolean
  /** Drops the allocations of all other pods. Returns whether there were any. */
  keepPods(podUids: ReadonlySet<string>): boolean
  all(): readonly ContainerAllocation[]
}

/** Creates a table, with the allocations of a checkpoint if there are any. */
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
