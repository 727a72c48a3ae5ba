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

/** The pods that the scheduling loop has taken from the queue and not yet returned, with the changes they missed. */
export interface InFlightPods {
  readonly size: number
  has(key: string): boolean
  /** Adds a pod. Changes are recorded for it from now on. */
  start(info: QueuedPodInfo): void
  /** Returns the pods as they were added. */
  values(): Iterable<QueuedPodInfo>
  /** Records the new version of a pod. Returns false when the pod is not in flight. */
  update(key: string, pod: Pod, isRelevant: boolean): boolean
  /** Records that the outcome of the pod's attempt cannot be relied on. Does nothing when the pod is not in flight. */
  markOutdated(key: string): void
  /** Records a change of the cluster for every pod in flight. */
  record(change: ClusterChange): void
  /** Removes a pod and returns its changes; undefined when the pod is not in flight. */
  end(key: string): FlightRecord | undefined
}

interface Flight {
  readonly info: QueuedPodInfo
  /** Position in the event log at the start. */
  readonly since: number
  pod?: Pod
  isStale: boolean
}

/** Creates an empty set. */
export function createInFlightPods(): InFlightPods {
  const flights = new Map<string, Flight>()
  const events = createEventLog<ClusterChange>()
  return {
    get size() {
      return flights.size
    },
    has: (key) => flights.has(key),
    start(info) {
      flights.set(info.key, { info, since: events.hold(), isStale: false })
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
    markOutdated(key) {
      const flight = flights.get(key)
      if (flight !== undefined) flight.isStale = true
    },
    record: (change) => events.record(change),
    end(key) {
      const flight = flights.get(key)
      if (flight === undefined) return undefined
      flights.delete(key)
      const { since, pod, isStale } = flight
      const isOutdated = isStale || events.isLost(since)
      events.release(since)
      return { pod, isOutdated, changes: () => events.since(since) }
    },
  }
}
