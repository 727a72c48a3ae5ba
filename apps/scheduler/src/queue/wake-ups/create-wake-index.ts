import { type ClusterChange, type ClusterView, createPool } from '@berth/cluster-view'
import {
  type ClusterEvent,
  type EventTopic,
  eventTopics,
  type Framework,
  freedNode,
  type Interests,
  interestsOf,
  nodeRoom,
  podGroupRefOf,
  unsupportedFeaturesTopics,
} from '@berth/fit-engine'
import { isBound } from '@berth/resources'
import type { Logger, Pod } from '@berth/types'
import { clusterEventOf } from '../cluster-event.ts'
import type { IsHelpedBy } from '../is-helped-by.ts'
import type { QueuedPodInfo } from '../queued-pod.ts'
import { GANG_SCHEDULING, UNSUPPORTED_REJECTOR } from '../rejectors.ts'
import type { ChangeSubject, WakeConditions, WakeIndex } from './wake-index.ts'

/** Dependencies of {@link createWakeIndex}. */
export interface WakeIndexParts {
  /** Returns the framework of the pod's profile; undefined when no profile has the pod's schedulerName. */
  readonly frameworkOf: (pod: Pod) => Framework | undefined
  readonly isHelpedBy: IsHelpedBy
  readonly view: Pick<ClusterView, 'state' | 'nominatedNode'>
  readonly log: Logger
}

interface IndexedConditions extends WakeConditions {
  /** The rejectors that only more room can help. */
  readonly roomRejectors: ReadonlySet<string>
}

/** Topic of every event that has another topic or frees room. Heartbeats of nodes have no topic. */
const ANY_CHANGE: EventTopic = 'any-change'
const noSubject: ChangeSubject = { topics: [], freedNode: undefined }

/**
 * Creates an index from the topics and demands that the built-in plugins of the pods' profiles name. Contributed plugins and
 * extenders name no topics, so the hints of the pods that they rejected are evaluated for every change.
 */
export function createWakeIndex({ frameworkOf, isHelpedBy, view, log }: WakeIndexParts): WakeIndex {
  const { state } = view
  const known = new WeakMap<QueuedPodInfo, IndexedConditions>()
  /** Shares the conditions of pods with equal demands. Each takes about 1 KB. */
  const pool = createPool<IndexedConditions>({ generationSize: 256, maxKeyLength: 4_096 })

  const interests = (pod: Pod, rejector: string): Interests | undefined => {
    if (rejector === GANG_SCHEDULING) return { topics: [] }
    if (rejector === UNSUPPORTED_REJECTOR) return { topics: unsupportedFeaturesTopics }
    const framework = frameworkOf(pod)
    return framework && interestsOf(framework, rejector, pod)
  }
  /**
   * Returns whether even room that is too small for the pod may help it. Its hints are then evaluated for every change.
   */
  const isHelpedByAnyRoom = (pod: Pod): boolean =>
    // The room may be enough for another member of its group, which then leaves its node to this one.
    podGroupRefOf(pod) !== undefined ||
    // An attempt clears a nomination that has become useless, which keeps room from other pods.
    view.nominatedNode(pod) !== undefined
  const indexedConditions = ({ pod, rejectors }: QueuedPodInfo): IndexedConditions => {
    const anyRoomHelps = isHelpedByAnyRoom(pod)
    const topics: EventTopic[] = anyRoomHelps ? [ANY_CHANGE] : []
    const roomRejectors = new Set<string>()
    let room: Interests['room']
    for (const rejector of rejectors) {
      const found = interests(pod, rejector)
      if (found === undefined) return { topics: undefined, room: undefined, roomRejectors: new Set() }
      topics.push(...found.topics)
      if (found.room === undefined || anyRoomHelps) continue
      room = found.room
      roomRejectors.add(rejector)
    }
    return { topics, room, roomRejectors }
  }
  const conditionsOf = (info: QueuedPodInfo): IndexedConditions => {
    let conditions = known.get(info)
    if (conditions === undefined) {
      const own = indexedConditions(info)
      conditions = pool.obtain(keyOf(own), () => own)
      known.set(info, conditions)
    }
    return conditions
  }
  const freedNodeOf = (event: ClusterEvent): string | undefined => {
    try {
      return freedNode(event)
    } catch (error) {
      log.error({ err: error }, 'Cannot compare requests; assuming that the change frees room')
      return 'node' in event ? event.node.metadata.name : 'pod' in event ? event.pod.spec.nodeName : undefined
    }
  }

  return {
    conditionsOf,
    subjectOf(change) {
      const event = clusterEventOf(change)
      if (event === undefined) return noSubject
      const topics = eventTopics(event)
      const node = freedNodeOf(event) ?? leftNomination(change)
      if (topics.length === 0 && node === undefined) return noSubject
      return { topics: [...topics, ANY_CHANGE], freedNode: node }
    },
    isHelpedBeyondRoom(info, change) {
      const { roomRejectors } = conditionsOf(info)
      return isHelpedBy(info, change, (rejector) => !roomRejectors.has(rejector))
    },
    roomOn: (nodeName) => nodeRoom(state, nodeName),
  }
}

function keyOf({ topics, room, roomRejectors }: IndexedConditions): string {
  return JSON.stringify([topics, room?.key, [...roomRejectors]])
}

/** Returns the node on which room was reserved for a pod that is bound to another node now. */
function leftNomination(change: ClusterChange): string | undefined {
  if (change.kind !== 'pod-updated') return undefined
  const { old, pod } = change
  if (old !== undefined && isBound(old)) return undefined
  const nominated = old?.status?.nominatedNodeName ?? ''
  return nominated !== '' && pod.spec.nodeName !== nominated ? nominated : undefined
}
