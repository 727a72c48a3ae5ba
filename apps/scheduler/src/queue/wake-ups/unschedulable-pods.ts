import type { ClusterChange } from '@berth/cluster-view'
import type { RoomDemand } from '@berth/fit-engine'
import type { Clock, Pod } from '@berth/types'
import type { BackoffQueue } from '../backoff-queue.ts'
import { eventLabel } from '../event-label.ts'
import type { QueuedPodInfo } from '../queued-pod.ts'
import { type FreedRoom, FreedRooms } from './freed-rooms.ts'
import { ParkedPods } from './parked-pods.ts'
import type { WakeIndex } from './wake-index.ts'

/** The pods that wait for a change that may help them. */
export interface UnschedulablePods extends Disposable {
  readonly size: number
  has(key: string): boolean
  get(key: string): QueuedPodInfo | undefined
  values(): Iterable<QueuedPodInfo>
  /** Returns the members of a pod group; of all groups if `group` is undefined. */
  members(group: string | undefined): readonly QueuedPodInfo[]
  /** Adds a pod whose attempt has just ended. */
  add(info: QueuedPodInfo): void
  /** Replaces a pod of the same key, which has not been attempted meanwhile. */
  replace(info: QueuedPodInfo): void
  delete(key: string): void
  /** Requeues the pods that the change may help, except the pod that caused it. */
  onClusterChange(change: ClusterChange, causedBy: string | undefined): void
  /** Returns whether a change that came during the pod's attempt may help it now. */
  isHelpedMeanwhile(info: QueuedPodInfo, change: ClusterChange): boolean
  /**
   * Offers the room for which the pod was requeued to others. Call it when the pod's attempt has chosen a node or has
   * ended, and when there will be no attempt.
   */
  endClaim(key: string): void
}

/** Options of {@link createUnschedulablePods}. */
export interface UnschedulablePodsOptions {
  readonly clock: Clock
  /** The order of the queue: negative when `a` is to be scheduled before `b`. */
  readonly compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number
  /** Returns the key of the pod's pod group; undefined for a pod without one. */
  readonly podGroupOf: (pod: Pod) => string | undefined
  readonly isHelpedBy: (info: QueuedPodInfo, change: ClusterChange) => boolean
  /** Default: the hints of every pod are evaluated for every change. */
  readonly wakeIndex: WakeIndex | undefined
  /** See {@link SchedulingQueueOptions.indexAbove}. */
  readonly indexAbove: number
  readonly backoff: Pick<BackoffQueue, 'hasEnded' | 'endsAtMs'>
  /** Removes the pod from here and requeues it. Returns whether it will be attempted: no plugin holds it back. */
  readonly requeue: (info: QueuedPodInfo, event: string) => boolean
  /** Returns whether a pod that was requeued will be attempted soon, or waits for its backoff. */
  readonly mayStart: (key: string) => boolean
}

/** Creates an empty set. */
export function createUnschedulablePods(options: UnschedulablePodsOptions): UnschedulablePods {
  const { clock, compare, podGroupOf, isHelpedBy, wakeIndex, indexAbove, backoff, requeue, mayStart } = options
  const parked = new ParkedPods(compare, podGroupOf, wakeIndex?.conditionsOf)
  const usedIndex = (): WakeIndex | undefined => (parked.size > indexAbove ? wakeIndex : undefined)
  const rooms = new FreedRooms({ clock, mayStart, offer })

  /** Requeues as many pods as fit the node's free room: those whose backoff has ended first, in queue order. */
  function offer(nodeName: string, { number, event }: Pick<FreedRoom, 'number' | 'event'>): void {
    const room = wakeIndex?.roomOn(nodeName)
    if (wakeIndex === undefined || room === undefined) return
    rooms.subtractClaims(nodeName, room)
    const requeueFor = (info: QueuedPodInfo, demand: RoomDemand): void => {
      if (!requeue(info, event)) return
      rooms.claim(info.key, nodeName, demand)
      room.take(demand)
    }
    const notReady = parked.room.visitFitting(room, number, backoff.hasEnded, requeueFor)
    const byEndOfBackoff = notReady.toSorted((a, b) => backoff.endsAtMs(a.info) - backoff.endsAtMs(b.info))
    for (const { info, demand } of byEndOfBackoff) if (room.fits(demand)) requeueFor(info, demand)
  }

  return {
    get size() {
      return parked.size
    },
    has: (key) => parked.has(key),
    get: (key) => parked.get(key),
    values: () => parked.values(),
    members: (group) => parked.members(group),
    add: (info) => parked.set(info, rooms.latest),
    replace: (info) => parked.set(info, parked.room.get(info.key)?.seenRoom ?? rooms.latest),
    delete: (key) => parked.delete(key),
    onClusterChange(change, causedBy) {
      if (parked.size === 0) return
      const index = usedIndex()
      const subject = index?.subjectOf(change)
      const isHelped = index?.isHelpedBeyondRoom ?? isHelpedBy
      for (const info of subject === undefined ? [...parked.values()] : parked.ofTopics(subject.topics)) {
        if (info.key !== causedBy && isHelped(info, change)) requeue(info, eventLabel(change))
      }
      if (subject?.freedNode === undefined) return
      if (causedBy !== undefined) parked.noteRoomSeen(causedBy, rooms.latest + 1)
      rooms.free(subject.freedNode, eventLabel(change))
    },
    isHelpedMeanwhile(info, change) {
      const index = usedIndex()
      if (index === undefined) return isHelpedBy(info, change)
      if (index.isHelpedBeyondRoom(info, change)) return true
      const { room } = index.conditionsOf(info)
      const node = room && index.subjectOf(change).freedNode
      return room !== undefined && node !== undefined && index.roomOn(node)?.fits(room) === true
    },
    endClaim: (key) => rooms.end(key),
    [Symbol.dispose]: () => rooms[Symbol.dispose](),
  }
}
