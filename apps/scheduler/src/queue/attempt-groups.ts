import type { Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'

/**
 * Pods whose attempts wait for the same extenders or plugins. The number of these attempts is limited, so that an
 * extender or plugin that does not respond does not delay other pods. Not related to pod groups.
 */
export interface AttemptGroup {
  readonly name: string
  /** Maximum number of attempts at once. */
  readonly limit: number
  /** When an attempt no longer counts in the group: as soon as a node is chosen, or at its end. */
  readonly until: 'node-chosen' | 'end'
}

/** Counts the attempts of each group. */
export interface AttemptGroups {
  /** Returns the groups of the pod; empty for a pod whose attempt waits for nothing. */
  groupsOf(pod: Pod): readonly AttemptGroup[]
  /** Returns whether another attempt may start that belongs to all of these groups. */
  areFree(groups: readonly AttemptGroup[]): boolean
  /** Counts the attempt of the pod. */
  enter(info: QueuedPodInfo): void
  /** Ends the count of this pod's attempt in the groups that it leaves now. Returns false if it was not counted. */
  leave(key: string, now: AttemptGroup['until']): boolean
}

/** Creates groups without attempts. */
export function createAttemptGroups(groupsOf: AttemptGroups['groupsOf']): AttemptGroups {
  const groupsByPod = new Map<string, readonly AttemptGroup[]>()
  const attempts = new Map<string, number>()
  const add = (groups: readonly AttemptGroup[], count: number): void => {
    for (const { name } of groups) attempts.set(name, (attempts.get(name) ?? 0) + count)
  }
  return {
    groupsOf,
    areFree: (groups) => groups.every(({ name, limit }) => (attempts.get(name) ?? 0) < limit),
    enter({ key, pod }) {
      const groups = groupsOf(pod)
      if (groups.length === 0) return
      groupsByPod.set(key, groups)
      add(groups, 1)
    },
    leave(key, now) {
      const groups = groupsByPod.get(key) ?? []
      const left = groups.filter(({ until }) => now === 'end' || until === now)
      if (left.length === 0) return false
      if (left.length === groups.length) groupsByPod.delete(key)
      else
        groupsByPod.set(
          key,
          groups.filter((group) => !left.includes(group)),
        )
      add(left, -1)
      return true
    },
  }
}
