import type { Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'

/**
 * Groups of pods that are attempted one at a time. Pods that share extenders form a group: an extender then receives one
 * call after the other, in the order of the queue, and a slow extender delays no other pod.
 */
export interface SerialGroups {
  /** Returns the group of the pod; '' for a pod in no group. */
  groupOf(pod: Pod): string
  /** Returns whether no pod of the group is being attempted; true for ''. */
  isFree(group: string): boolean
  /** Marks the group of the pod as busy. */
  enter(info: QueuedPodInfo): void
  /** Frees the group that this pod occupies. Returns false if it occupies none. */
  leave(key: string): boolean
}

/** Creates groups without busy ones. */
export function createSerialGroups(groupOf: (pod: Pod) => string): SerialGroups {
  const groupByPod = new Map<string, string>()
  const busy = new Set<string>()
  return {
    groupOf,
    isFree: (group) => !busy.has(group),
    enter({ key, pod }) {
      const group = groupOf(pod)
      if (group === '') return
      groupByPod.set(key, group)
      busy.add(group)
    },
    leave(key) {
      const group = groupByPod.get(key)
      if (group === undefined) return false
      groupByPod.delete(key)
      return busy.delete(group)
    },
  }
}
