import type { Pod } from '@berth/types'
import type { QueuedPodInfo } from './queued-pod.ts'

/** Pods by uid that are also found by their pod group, so that a change of a group costs nothing for other pods. */
export interface PodTable {
  readonly size: number
  get(key: string): QueuedPodInfo | undefined
  has(key: string): boolean
  set(info: QueuedPodInfo): void
  delete(key: string): void
  values(): Iterable<QueuedPodInfo>
  /** Returns the members of a group; of all groups if `group` is undefined. */
  members(group: string | undefined): readonly QueuedPodInfo[]
}

/**
 * Creates an empty table.
 *
 * @param groupOf - Returns the key of the pod's group; undefined for a pod without a group.
 */
export function createPodTable(groupOf: (pod: Pod) => string | undefined): PodTable {
  const infos = new Map<string, QueuedPodInfo>()
  const groups = new Map<string, Set<string>>()

  const leaveGroup = ({ key, pod }: QueuedPodInfo): void => {
    const group = groupOf(pod)
    if (group === undefined) return
    const keys = groups.get(group)
    keys?.delete(key)
    if (keys?.size === 0) groups.delete(group)
  }

  return {
    get size() {
      return infos.size
    },
    get: (key) => infos.get(key),
    has: (key) => infos.has(key),
    set(info) {
      const known = infos.get(info.key)
      // The label of scheduler-plugins may change.
      if (known !== undefined) leaveGroup(known)
      infos.set(info.key, info)
      const group = groupOf(info.pod)
      if (group === undefined) return
      const keys = groups.get(group) ?? new Set()
      keys.add(info.key)
      groups.set(group, keys)
    },
    delete(key) {
      const known = infos.get(key)
      if (known === undefined) return
      infos.delete(key)
      leaveGroup(known)
    },
    values: () => infos.values(),
    members(group) {
      const keys =
        group === undefined ? [...groups.values()].flatMap((each) => [...each]) : [...(groups.get(group) ?? [])]
      return keys.flatMap((key) => infos.get(key) ?? [])
    },
  }
}
