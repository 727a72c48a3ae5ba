import type { ClusterChange, ClusterView, PodGroupView } from '@berth/cluster-view'
import { podGroupKey } from '@berth/fit-engine'
import type { Profile } from '@berth/scheduler-config'
import type { Pod } from '@berth/types'
import type { AttemptContext } from '../cycle/attempt.ts'
import type { UnboundPods } from '../binding/unbound-pods.ts'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import type { QueuedPodInfo } from '../queue/queued-pod.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'
import { createGangBarriers } from './gang-barrier.ts'
import { createGroupConditions, type GroupConditionParts } from './group-conditions.ts'
import { createGroupDirectory } from './group-directory.ts'
import { scheduleGroup } from './schedule-group.ts'

/** Dependencies of {@link createPodGroups}. */
export interface PodGroupParts extends GroupConditionParts {
  readonly view: ClusterView
  readonly podGroups: PodGroupView
  readonly waitingPods: WaitingPodRegistry
  readonly unboundPods: Pick<UnboundPods, 'preempt'>
}

/** The pod groups of a scheduler, as its loop uses them. */
export interface PodGroups {
  /** Returns why the pod must wait for its group; undefined for a pod that may be attempted. */
  holdReason(pod: Pod): string | undefined
  /** Applies a change of the cluster. Call it before the change is applied to the queue. */
  observe(change: ClusterChange): void
  /** Requeues the members that waited for the pod of this change. Call it after the change was applied to the queue. */
  requeueAfter(change: ClusterChange, queue: Pick<SchedulingQueue, 'requeueGroup'>): void
  /** Calls `listener` with the key of a group that changed; undefined when all groups may have changed. */
  subscribe(listener: (group: string | undefined) => void): () => void
  /** Reads all members again. */
  rebuild(): void
  /** Attempts the pod together with its group; undefined for a pod that is placed on its own. */
  schedule(info: QueuedPodInfo, profile: Profile, context: AttemptContext): Promise<void> | undefined
}

/** Creates the pod groups of a scheduler. */
export function createPodGroups(parts: PodGroupParts): PodGroups {
  const { view, podGroups, waitingPods, unboundPods, clock } = parts
  const directory = createGroupDirectory(view, podGroups)
  const barriers = createGangBarriers({ waitingPods, unboundPods, directory, clock })
  const conditions = createGroupConditions(parts)

  return {
    holdReason: (pod) => directory.holdReason(pod),
    observe(change) {
      directory.observe(change)
      barriers.observe(change)
    },
    rebuild: () => directory.rebuild(),
    requeueAfter(change, queue) {
      if (change.kind !== 'pod-added') return
      const ref = directory.refOf(change.pod)
      if (ref === undefined || directory.holdReason(change.pod) !== undefined) return
      queue.requeueGroup(podGroupKey(ref))
    },
    subscribe: (listener) =>
      podGroups.subscribe((changed) => {
        listener(changed && podGroupKey(changed))
      }),
    schedule(info, profile, context) {
      const ref = directory.refOf(info.pod)
      return ref && scheduleGroup(info, ref, profile, { ...context, directory, barriers, conditions })
    },
  }
}
