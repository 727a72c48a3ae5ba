import type { Pod } from '@berth/types'

/** Returns the pod's priority; 0 when it has none. */
export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}

/** Returns when the pod started, in milliseconds since the epoch; `nowMs` for a pod that did not start. */
export function startOf(pod: Pod, nowMs: number): number {
  const startMs = Date.parse(pod.status?.startTime ?? '')
  return Number.isNaN(startMs) ? nowMs : startMs
}

/** Returns a comparator that puts more important pods first: higher priority, then earlier start. */
export function byImportance(nowMs: number): (a: Pod, b: Pod) => number {
  return (a, b) => priorityOf(b) - priorityOf(a) || startOf(a, nowMs) - startOf(b, nowMs)
}
