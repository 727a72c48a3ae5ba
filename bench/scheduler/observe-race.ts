import { type Cluster, type Reflector, resourceRefs } from '@berth/k8s-client'
import type { Event, Pod } from '@berth/types'
import { isMeasuredPod } from './race-cluster.ts'

/** The time of each change of the measured pods, by name and `performance.now()`. */
export interface RaceTimes {
  /** When the watch showed the pod without scheduling gates, or the time that the workload set. */
  readonly created: ReadonlyMap<string, number>
  /** When the watch showed the pod with a node. */
  readonly bound: ReadonlyMap<string, number>
  /** When the watch showed the Scheduled event of the pod. */
  readonly event: ReadonlyMap<string, number>
}

/** Records the changes of the measured pods. */
export interface RaceObserver {
  readonly times: RaceTimes
  setCreated(name: string, atMs: number): void
}

/**
 * Observes the measured pods through the watches of one client.
 *
 * @param mirror - The pods.
 * @param onBound - Called after each bind with the number of binds.
 */
export async function observeRace(
  cluster: Cluster,
  mirror: Reflector<Pod>,
  onBound: (count: number) => void,
): Promise<RaceObserver> {
  const [created, bound, event] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const see = ({ metadata: { name = '' }, spec }: Pod): void => {
    if (!isMeasuredPod(name)) return
    if ((spec.schedulingGates ?? []).length === 0) setIfAbsent(created, name, performance.now())
    if (spec.nodeName !== undefined && setIfAbsent(bound, name, performance.now())) onBound(bound.size)
  }
  mirror.subscribe({ onAdd: see, onUpdate: (_, pod) => see(pod) })
  const events = cluster.reflect<Event>(resourceRefs.events, { fieldSelector: 'reason=Scheduled' })
  await events.waitForSync()
  events.subscribe({
    onAdd: ({ regarding: { name = '' } }) => {
      if (isMeasuredPod(name)) setIfAbsent(event, name, performance.now())
    },
  })
  return { times: { created, bound, event }, setCreated: (name, atMs) => void setIfAbsent(created, name, atMs) }
}

/** Returns whether the key was absent. */
function setIfAbsent(map: Map<string, number>, key: string, value: number): boolean {
  if (map.has(key)) return false
  map.set(key, value)
  return true
}
