import type { ClusterChange } from '@berth/cluster-view'
import type { Pod } from '@berth/types'
import { createEventLog } from './event-log.ts'
import type { QueuedPodInfo } from './queued-pod.ts'

/** The changes while a pod was in flight: from the moment it is popped until its attempt ends. */
export interface FlightRecord {
  /** The latest object of the pod; undefined when it did not change. */
  readonly pod: Pod | undefined
  /**
   * True if the outcome of the attempt cannot be relied on: more than the pod's status changed, its group changed, or
   * changes were lost.
   */
  readonly isOutdated: boolean
  /** Returns the cluster changes, oldest first. Call it before the next change is recorded. */
  readonly changes: () => readonly ClusterChange[]
}

/** The pods that the scheduling loop has taken from the queue and not yet returned, with the changes since then. */
export interface InFlightPods {
  readonly size: number
  has(key: string): boolean
  /** Adds a pod. Changes are recorded for it from now on. */
  start(info: QueuedPodInfo): void
  /** Returns the pods as they were added. */
  values(): Iterable<QueuedPodInfo>
  /** Records the new version of a pod. Returns false when the pod is not in flight. */
  update(key: string, pod: Pod, isRelevant: boolean): boolean
  /**
   * Records that the outcomes of the attempts of a group's pods, or of the pods of all groups, cannot be relied on.
   * Does not iterate over the pods.
   */
  markGroupOutdated(group: string | undefined): void
  /** Records a change of the cluster for every pod in flight. */
  record(change: ClusterChange): void
  /** Removes a pod and returns its changes; undefined when the pod is not in flight. */
  end(key: string): FlightRecord | undefined
}

interface Flight {
  readonly info: QueuedPodInfo
  /** Position in the event log at the start. */
  readonly since: number
  readonly group: Flights | undefined
  /** Changes of the group, and of all groups, before the start. */
  readonly groupChanges: number
  pod?: Pod
  isStale: boolean
}

/** The pods of one group that are in flight. */
interface Flights {
  readonly key: string
  count: number
  changes: number
}

/**
 * Creates an empty set.
 *
 * @param groupOf - Returns the key of the pod's pod group.
 */
export function createInFlightPods(groupOf: (pod: Pod) => string | undefined): InFlightPods {
  const flights = new Map<string, Flight>()
  const groups = new Map<string, Flights>()
  let changesOfAll = 0
  const changesOf = (group: Flights): number => group.changes + changesOfAll
  const enterGroup = (pod: Pod): Flights | undefined => {
    const key = groupOf(pod)
    if (key === undefined) return undefined
    const group = groups.get(key) ?? { key, count: 0, changes: 0 }
    group.count += 1
    groups.set(key, group)
    return group
  }
  const events = createEventLog<ClusterChange>()
  return {
    get size() {
      return flights.size
    },
    has: (key) => flights.has(key),
    start(info) {
      const group = enterGroup(info.pod)
      const groupChanges = group === undefined ? 0 : changesOf(group)
      flights.set(info.key, { info, since: events.hold(), group, groupChanges, isStale: false })
    },
    *values() {
      for (const { info } of flights.values()) yield info
    },
    update(key, pod, isRelevant) {
      const flight = flights.get(key)
      if (flight === undefined) return false
      flight.pod = pod
      flight.isStale ||= isRelevant
      return true
    },
    markGroupOutdated(key) {
      const group = groups.get(key ?? '')
      if (key === undefined) changesOfAll += 1
      else if (group !== undefined) group.changes += 1
    },
    record: (change) => events.record(change),
    end(key) {
      const flight = flights.get(key)
      if (flight === undefined) return undefined
      flights.delete(key)
      const { since, group, groupChanges, pod, isStale } = flight
      const hasGroupChanged = group !== undefined && changesOf(group) !== groupChanges
      if (group !== undefined && --group.count === 0) groups.delete(group.key)
      const isOutdated = isStale || hasGroupChanged || events.isLost(since)
      events.release(since)
      return { pod, isOutdated, changes: () => events.since(since) }
    },
  }
}
