import type { Pod, Timer } from '@berth/types'
import {
  allocationFromStatus,
  allocationOf,
  withAllocatedResources,
  type PodAllocation,
} from '../devices/pod-allocation.ts'

/** The kubelet's state of one pod that is bound to its node. */
export interface PodWorker {
  /** The newest object from the API server. */
  pod: Pod
  /** `queued`: waits for admission. `terminating`: deleted, but its containers still run. */
  state: 'queued' | 'running' | 'terminating' | 'terminated'
  podIP: string
  /** The resources that the pod was granted. After a resize its spec may request more. */
  allocation: PodAllocation
  /** Why a requested resize is not granted yet. */
  pendingResize?: string | undefined
  /** Whether its containers exited and wait for their restart. */
  isBackingOff: boolean
  /** Restarts of its containers in this run of the kubelet. */
  restarts: number
  /** The device health in the pod's written status, as JSON. */
  reportedHealth: string
  /** Fires at the next planned exit, restart or end of the pod. */
  timer?: Timer
}

/** Pods of one node by uid. */
export type PodWorkerMap = Map<string, PodWorker>

/**
 * Returns a worker for a pod that is new to the kubelet.
 *
 * @param keepsRunning - Whether containers that the status reports as running still run, with the resources in it.
 */
export function createPodWorker(pod: Pod, keepsRunning: boolean): PodWorker {
  return {
    pod,
    state: isFinished(pod) ? 'terminated' : 'queued',
    podIP: '',
    allocation: keepsRunning ? allocationFromStatus(pod) : allocationOf(pod),
    isBackingOff: false,
    restarts: 0,
    reportedHealth: '',
  }
}

/** Returns the key of a pod: its uid. */
export function podUid({ metadata }: Pod): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`
}

/** Returns whether the pod's phase is final. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** Returns whether the pod has containers, so that it holds resources of the node. */
export function holdsResources({ state }: PodWorker): boolean {
  return state === 'running' || state === 'terminating'
}

/** Returns the pod with the resources that it was granted in place of those that it requests. */
export function allocatedPod({ pod, allocation }: PodWorker): Pod {
  return withAllocatedResources(pod, allocation)
}

/** Returns the queued pod that was created first. A kubelet that starts admits pods in this order. */
export function firstQueued(workers: PodWorkerMap): PodWorker | undefined {
  return [...workers.values()]
    .filter(({ state }) => state === 'queued')
    .toSorted((a, b) => compare(a.pod.metadata.creationTimestamp ?? '', b.pod.metadata.creationTimestamp ?? ''))[0]
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
