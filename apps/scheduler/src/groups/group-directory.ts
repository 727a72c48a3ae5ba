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
  /** Returns whether a member with this uid waits for a node. */
  isWaiting(ref: PodGroupRef, uid: string): boolean
  /** Returns the uids of the members that wait for a node. */
  waitingMembers(ref: PodGroupRef): Iterable<string>
  /** Number of members that are bound. Takes constant time. */
  boundCount(ref: PodGroupRef): number
  /** Number of members that are bound or assumed. Iterates over the members that wait for a node. */
  scheduledCount(ref: PodGroupRef): number
  /** Applies a change of the cluster. Call it before the change is applied to the queue. */
  observe(change: ClusterChange): void
  /** Reads the members again from all pods of the view. */
  rebuild(): void
}

interface Members {
  readonly bound: Set<string>
  /** The members that wait for a node, by uid. */
  readonly waiting: Map<string, Pod>
}

const noMembers: Members = { bound: new Set(), waiting: new Map() }

/** Creates a directory of the members that the view contains. */
export function createGroupDirectory(
  view: Pick<ClusterView, 'pods' | 'state'>,
  groups: Pick<PodGroupView, 'get' | 'isServed'>,
): GroupDirectory {
  const membersByGroup = new Map<string, Members>()

  const remove = (pod: Pod): void => {
    const ref = podGroupRefOf(pod)
    if (ref === undefined) return
    const key = podGroupKey(ref)
    const members = membersByGroup.get(key)
    if (members === undefined) return
    members.bound.delete(podUid(pod))
    members.waiting.delete(podUid(pod))
    if (sizeOf(members) === 0) membersByGroup.delete(key)
  }
  const set = (pod: Pod): void => {
    const ref = podGroupRefOf(pod)
    if (ref === undefined) return
    if (!isLiveMember(pod)) {
      remove(pod)
      return
    }
    const key = podGroupKey(ref)
    const members = membersByGroup.get(key) ?? { bound: new Set(), waiting: new Map() }
    const uid = podUid(pod)
    if (isBound(pod)) {
      members.waiting.delete(uid)
      members.bound.add(uid)
    } else {
      members.bound.delete(uid)
      members.waiting.set(uid, pod)
    }
    membersByGroup.set(key, members)
  }
  const membersOf = (ref: PodGroupRef): Members => membersByGroup.get(podGroupKey(ref)) ?? noMembers

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
        members: sizeOf(membersOf(ref)),
      })
    },
    isWaiting: (ref, uid) => membersOf(ref).waiting.has(uid),
    waitingMembers: (ref) => membersOf(ref).waiting.keys(),
    boundCount: (ref) => membersOf(ref).bound.size,
    scheduledCount(ref) {
      const { bound, waiting } = membersOf(ref)
      let count = bound.size
      for (const pod of waiting.values()) if (view.state.isAssumed(pod)) count++
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

function sizeOf({ bound, waiting }: Members): number {
  return bound.size + waiting.size
}
