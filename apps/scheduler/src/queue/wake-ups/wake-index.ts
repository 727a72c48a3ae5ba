import type { ClusterChange } from '@berth/cluster-view'
import type { EventTopic, NodeRoom, RoomDemand } from '@berth/fit-engine'
import type { QueuedPodInfo } from '../queued-pod.ts'

/** The changes that may help an unschedulable pod. */
export interface WakeConditions {
  /** Topics outside of which no change helps, apart from more room; undefined: every change may help. */
  readonly topics: readonly EventTopic[] | undefined
  /** The amounts that must be free on a node; undefined: the pod does not wait for room. */
  readonly room: RoomDemand | undefined
}

/** The subject of a change. */
export interface ChangeSubject {
  readonly topics: readonly EventTopic[]
  /** The node on which the change leaves more room; undefined for none. */
  readonly freedNode: string | undefined
}

/**
 * Finds the unschedulable pods that a change may help, without evaluating the hints of all of them. Wherever `isHelpedBy` returns true
 * for a pod that fits after the change, `conditionsOf` must name a topic of the change, or a demand that fits the room on
 * the change's freed node.
 */
export interface WakeIndex {
  /** Pods with equal conditions usually get the same object, which must not be changed. */
  readonly conditionsOf: (info: QueuedPodInfo) => WakeConditions
  subjectOf(change: ClusterChange): ChangeSubject
  /** Returns whether the change may help the pod by other means than more room. */
  readonly isHelpedBeyondRoom: (info: QueuedPodInfo, change: ClusterChange) => boolean
  /** Returns what is free on a node now; undefined for an unknown node. */
  roomOn(nodeName: string): NodeRoom | undefined
}
