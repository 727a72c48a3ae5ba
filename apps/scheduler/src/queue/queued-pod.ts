import { podName } from '@berth/cluster-view'
import type { Pod, QueuedPod } from '@berth/types'

/** A pending pod with its history in the queue. Immutable. */
export interface QueuedPodInfo extends QueuedPod {
  /** The pod's uid; `namespace/name` where it has none. */
  readonly key: string
  /** Time at which the pod was first seen, monotonic milliseconds. */
  readonly firstSeenMs: number
  /** Time of the first attempt, monotonic milliseconds; undefined before it. */
  readonly firstAttemptMs?: number
  /** Time at which the pod was first seen or its last attempt ended, monotonic milliseconds. Its backoff starts here. */
  readonly enteredMs: number
  /** Attempts that ended with a rejection. */
  readonly rejections: number
  /** Consecutive attempts that ended with an error. */
  readonly errors: number
  /** Plugins that rejected the pod in the last attempt; empty after an error. */
  readonly rejectors: ReadonlySet<string>
}

/** Returns the key under which the queue holds a pod: its uid, or `namespace/name` where it has none. */
export function podUid(pod: Pod): string {
  return pod.metadata.uid ?? podName(pod)
}

/** `namespace/name`, for messages. */
export { podName }
export { schedulerNameOf } from '@berth/scheduler-config'

/** Returns whether the pod has scheduling gates. */
export function isGated(pod: Pod): boolean {
  return (pod.spec.schedulingGates?.length ?? 0) > 0
}

/**
 * Orders pods as kube-scheduler's PrioritySort (v1.36): higher priority first, then the pod that was queued earlier.
 */
export function prioritySort(a: QueuedPod, b: QueuedPod): number {
  return (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || a.queuedAtMs - b.queuedAtMs
}
