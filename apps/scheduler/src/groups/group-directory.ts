import type { ClusterChange, ClusterView, PodGroupView } from '@berth/cluster-view'
import { groupHold, isGroupInForce, isLiveMember, podGroupKey, podGroupRefOf } from '@berth/fit-engine'
import { isBound } from '@berth/resources'
import type { Pod, PodGroup, PodGroupRef } from '@berth/types'
import { podUid } from '../queue/queued-pod.ts'

/** The pod groups of the cluster and their members: every pod that names a group and has not ended. */
export interface GroupDirectory {
  /** Returns the group that the pod is placed with; undefined for a pod that is placed on its own. */
  refOf(pod: Pod): PodGroupRef | undefined
  group(ref: PodGroupRef): PodGroup | undefined
  /** Returns why the pod must not be attempted yet; undefined when it may. */
  holdReason(pod: Pod): string | undefined
  /** Returns the members by uid. */
  members(ref: PodGroupRef): ReadonlyMap<string, Pod>
  /** Returns the uids of the members of a group that wait for a node, or of all groups. */
  waitingMembers(ref?: PodGroupRef): readonly string[]
  /** Number of members that are bound or assumed. */
  scheduledCount(ref: PodGroupRef): number
  /** Applies a change of the cluster. Call it before the queue learns of the change. */
  observe(change: ClusterChange): void
  /** Reads the members again from all pods of the view. */
  rebuild(): void
}

const noMembers: ReadonlyMap<string, Pod> = new Map()

/** Creates a directory of the members that the view contains. */
export function createGroupDirectory(
  view: Pick<ClusterView, 'pods' | 'state'>,
  groups: Pick<PodGroupView, 'get' | 'isServed'>,
): GroupDirectory {
  const membersByGroup = new Map<string, Map<string, Pod>>()

  const remove = (pod: Pod): void => {
    const ref = podGroupRefOf(pod)
    if (ref === undefined) return
    const key = podGroupKey(ref)
    const members = membersByGroup.get(key)
    members?.delete(podUid(pod))
    if (members?.size === 0) membersByGroup.delete(key)
  }
  const set = (pod: Pod): void => {
    const ref = podGroupRefOf(pod)
    if (ref === undefined) return
    if (!isLiveMember(pod)) {
      remove(pod)
      return
    }
    const key = podGroupKey(ref)
    const members = membersByGroup.get(key) ?? new Map<string, Pod>()
    members.set(podUid(pod), pod)
    membersByGroup.set(key, members)
  }
  const membersOf = (ref: PodGroupRef): ReadonlyMap<string, Pod> => membersByGroup.get(podGroupKey(ref)) ?? noMembers

  const directory: GroupDirectory = {
    refOf(pod) {
      const ref = podGroupRefOf(pod)
      return ref !== undefined && isGroupInForce(ref.api, groups.isServed(ref.api)) ? ref : undefined
    },
    group: (ref) => groups.get(ref),
    holdReason(pod) {
      const ref = directory.refOf(pod)
      if (ref === undefined) return undefined
      return groupHold({
        ref,
        isServed: groups.isServed(ref.api),
        group: groups.get(ref),
        members: membersOf(ref).size,
      })
    },
    members: membersOf,
    waitingMembers(ref) {
      const groupsToRead = ref === undefined ? [...membersByGroup.values()] : [membersOf(ref)]
      return groupsToRead.flatMap((members) => [...members].flatMap(([uid, pod]) => (isBound(pod) ? [] : [uid])))
    },
    scheduledCount(ref) {
      let count = 0
      for (const pod of membersOf(ref).values()) {
        if (isBound(pod) || view.state.isAssumed(pod)) count++
      }
      return count
    },
    observe(change) {
      if (change.kind === 'pod-deleted') remove(change.pod)
      if (change.kind === 'pod-added') set(change.pod)
      if (change.kind !== 'pod-updated') return
      // The label of scheduler-plugins may change.
      if (change.old !== undefined && podGroupRefOf(change.old) !== undefined) remove(change.old)
      set(change.pod)
    },
    rebuild() {
      membersByGroup.clear()
      for (const pod of view.pods()) set(pod)
    },
  }
  directory.rebuild()
  return directory
}
