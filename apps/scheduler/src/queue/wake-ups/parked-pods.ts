import type { EventTopic } from '@berth/fit-engine'
import type { Pod } from '@berth/types'
import { createPodTable, type PodTable } from '../pod-table.ts'
import type { QueuedPodInfo } from '../queued-pod.ts'
import { RoomWaiters } from './room-waiters.ts'
import type { WakeConditions } from './wake-index.ts'

const everyChange: WakeConditions = { topics: undefined, room: undefined }

/** The unschedulable pods, indexed by the changes that may help them. */
export class ParkedPods {
  /** The pods that wait for room. */
  readonly room: RoomWaiters
  readonly #conditionsOf: (info: QueuedPodInfo) => WakeConditions
  readonly #pods: PodTable
  readonly #conditions = new Map<string, WakeConditions>()
  readonly #byTopic = new Map<EventTopic, Set<string>>()
  /** The pods that every change may help. */
  readonly #unindexed = new Set<string>()

  constructor(
    compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number,
    podGroupOf: (pod: Pod) => string | undefined,
    conditionsOf: (info: QueuedPodInfo) => WakeConditions = () => everyChange,
  ) {
    this.room = new RoomWaiters(compare)
    this.#pods = createPodTable(podGroupOf)
    this.#conditionsOf = conditionsOf
  }

  get size(): number {
    return this.#pods.size
  }

  has(key: string): boolean {
    return this.#pods.has(key)
  }

  get(key: string): QueuedPodInfo | undefined {
    return this.#pods.get(key)
  }

  values(): Iterable<QueuedPodInfo> {
    return this.#pods.values()
  }

  /** Returns the members of a pod group; of all groups if `group` is undefined. */
  members(group: string | undefined): readonly QueuedPodInfo[] {
    return this.#pods.members(group)
  }

  /**
   * Adds the pod, or replaces it.
   *
   * @param seenRoom - Number of the latest freed room that the pod's last attempt has seen.
   */
  set(info: QueuedPodInfo, seenRoom: number): void {
    const conditions = this.#conditionsOf(info)
    if (this.#conditions.get(info.key) !== conditions) {
      this.delete(info.key)
      this.#index(info.key, conditions)
    }
    this.#pods.set(info)
    if (conditions.room !== undefined) this.room.set(info, conditions.room, seenRoom)
  }

  #index(key: string, conditions: WakeConditions): void {
    this.#conditions.set(key, conditions)
    const { topics } = conditions
    if (topics === undefined) this.#unindexed.add(key)
    for (const topic of topics ?? []) {
      const keys = this.#byTopic.get(topic)
      if (keys === undefined) this.#byTopic.set(topic, new Set([key]))
      else keys.add(key)
    }
  }

  /** Notes that the pod has seen a freed room, which is not offered to it; does nothing for an unknown pod. */
  noteRoomSeen(key: string, seenRoom: number): void {
    const info = this.get(key)
    if (info !== undefined) this.set(info, seenRoom)
  }

  delete(key: string): void {
    const conditions = this.#conditions.get(key)
    if (conditions === undefined) return
    this.#conditions.delete(key)
    this.#pods.delete(key)
    this.#unindexed.delete(key)
    for (const topic of conditions.topics ?? []) {
      const keys = this.#byTopic.get(topic)
      keys?.delete(key)
      if (keys?.size === 0) this.#byTopic.delete(topic)
    }
    this.room.delete(key)
  }

  /** Returns the pods that a change with these topics may help otherwise than by freeing room. */
  ofTopics(topics: readonly EventTopic[]): readonly QueuedPodInfo[] {
    const keys = new Set(this.#unindexed)
    for (const topic of topics) for (const key of this.#byTopic.get(topic) ?? []) keys.add(key)
    return [...keys].flatMap((key) => this.get(key) ?? [])
  }
}
