import type { Pod } from '@berth/types'

/** The priority that an absent field means. */
export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}

/** When the pod started, milliseconds since the epoch; a pod that did not start counts as started now. */
export function startOf(pod: Pod, nowMs: number): number {
  const startMs = Date.parse(pod.status?.startTime ?? '')
  return Number.isNaN(startMs) ? nowMs : startMs
}

/** Negative when `a` is more important: higher priority, then started earlier. */
export function byImportance(nowMs: number): (a: Pod, b: Pod) => number {
  return (a, b) => priorityOf(b) - priorityOf(a) || startOf(a, nowMs) - startOf(b, nowMs)
}
