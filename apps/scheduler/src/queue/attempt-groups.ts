import type { Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'

/**
 * Pods whose attempts wait for the same extenders or plugins. Their number is limited, so that one that does not respond
 * delays no other pods.
 */
export interface AttemptGroup {
  readonly name: string
  /** Maximum number of attempts at once. */
  readonly limit: number
}

/** Counts the attempts of each group. */
export interface AttemptGroups {
  /** Returns the group of the pod; undefined for a pod whose attempt waits for nothing. */
  groupOf(pod: Pod): AttemptGroup | undefined
  /** Returns whether another attempt of the group may start. */
  isFree(group: AttemptGroup | undefined): boolean
  /** Counts the attempt of the pod. */
  enter(info: QueuedPodInfo): void
  /** Ends the count of this pod's attempt. Returns false if it was not counted. */
  leave(key: string): boolean
}

/** Creates groups without attempts. */
export function createAttemptGroups(groupOf: AttemptGroups['groupOf']): AttemptGroups {
  const groupByPod = new Map<string, string>()
  const attempts = new Map<string, number>()
  const add = (group: string, count: number): void => void attempts.set(group, (attempts.get(group) ?? 0) + count)
  return {
    groupOf,
    isFree: (group) => group === undefined || (attempts.get(group.name) ?? 0) < group.limit,
    enter({ key, pod }) {
      const group = groupOf(pod)
      if (group === undefined) return
      groupByPod.set(key, group.name)
      add(group.name, 1)
    },
    leave(key) {
      const group = groupByPod.get(key)
      if (group === undefined) return false
      groupByPod.delete(key)
      add(group, -1)
      return true
    },
  }
}
