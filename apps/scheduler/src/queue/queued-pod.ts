import { podName } from '@berth/cluster-view'
import type { Pod, QueuedPod } from '@berth/types'

/** A pending pod with its history in the queue. Never changed in place. */
export interface QueuedPodInfo extends QueuedPod {
  /** Its uid; `namespace/name` where there is none. */
  readonly key: string
  /** When it was first seen, monotonic milliseconds. */
  readonly firstSeenMs: number
  /** When it last entered the queue, monotonic milliseconds: what waits are measured from. */
  readonly enteredMs: number
  /** Attempts that ended in a rejection. */
  readonly rejections: number
  /** Attempts in a row that ended in an error. */
  readonly errors: number
  /** Plugins that turned it away in the last attempt; empty after an error. */
  readonly rejectors: ReadonlySet<string>
}

/** The key under which the queue keeps a pod. */
export function podUid(pod: Pod): string {
  return pod.metadata.uid ?? podName(pod)
}

/** `namespace/name`, as messages show it. */
export { podName }

/** Whether scheduling gates hold the pod back. */
export function isGated(pod: Pod): boolean {
  return (pod.spec.schedulingGates?.length ?? 0) > 0
}

/**
 * Order of kube-scheduler's PrioritySort (v1.36): higher priority first, then the one that entered the queue earlier.
 */
export function prioritySort(a: QueuedPod, b: QueuedPod): number {
  return (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || a.queuedAtMs - b.queuedAtMs
}
