import { isConfigMapChange, type ClusterChange } from '@berth/cluster-view'
import type { Logger, Pod } from '@berth/types'
import { findBuiltIn, objectKey, type QueueingHint, unsupportedFeaturesHint } from '@berth/fit-engine'
import { clusterEventOf } from './cluster-event.ts'
import type { QueuedPodInfo } from './queued-pod.ts'
import { GANG_SCHEDULING, UNSUPPORTED_REJECTOR } from './rejectors.ts'

/** Returns the queueing hint of a contributed plugin in the pod's profile; undefined if it has none. */
export type ContributedHint = (pod: Pod, plugin: string) => QueueingHint | undefined

/** Returns whether a contributed plugin in the pod's profile reads the ConfigMap with this `namespace/name`. */
export type ReadsConfigMap = (pod: Pod, plugin: string, key: string) => boolean

/**
 * Decides whether a change may make an unschedulable pod schedulable.
 *
 * @param isConsidered - Selects the rejectors whose hints are evaluated. Default: all.
 */
export type IsHelpedBy = (
  info: QueuedPodInfo,
  change: ClusterChange,
  isConsidered?: (rejector: string) => boolean,
) => boolean

/**
 * Returns a function that decides by the queueing hints of the plugins that rejected the pod. Every change helps a pod
 * whose rejector has no hint, such as an extender, or whose hint throws. A change of a ConfigMap helps the pods that
 * were rejected by a plugin that reads it.
 */
export function createIsHelpedBy(
  contributedHint: ContributedHint,
  readsConfigMap: ReadsConfigMap,
  log: Logger,
): IsHelpedBy {
  const hintOf = (pod: Pod, rejector: string): QueueingHint | undefined =>
    rejector === UNSUPPORTED_REJECTOR
      ? unsupportedFeaturesHint
      : (findBuiltIn(rejector)?.hint ?? contributedHint(pod, rejector))
  return ({ pod, rejectors }, change, isConsidered = () => true) => {
    if (isConfigMapChange(change)) {
      const key = objectKey(change.object.metadata)
      return [...rejectors].some((rejector) => isConsidered(rejector) && readsConfigMap(pod, rejector, key))
    }
    const event = clusterEventOf(change)
    if (event === undefined) return false
    for (const rejector of rejectors) {
      // Changes of the group requeue its members; see SchedulingQueue.requeueGroup.
      if (rejector === GANG_SCHEDULING || !isConsidered(rejector)) continue
      const hint = hintOf(pod, rejector)
      if (hint === undefined) return true
      try {
        if (hint(pod, event)) return true
      } catch (error) {
        log.error({ err: error, plugin: rejector }, 'Queueing hint failed; requeueing the pod')
        return true
      }
    }
    return false
  }
}
