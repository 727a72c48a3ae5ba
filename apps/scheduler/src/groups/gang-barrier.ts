import type { ClusterChange } from '@berth/cluster-view'
import { podGroupKey, podGroupKeyOf } from '@berth/fit-engine'
import type { Clock, Pod, PodGroup, Timer } from '@berth/types'
import type { UnboundPods } from '../binding/unbound-pods.ts'
import { EffectError } from '../errors.ts'
import type { GroupBarrier } from '../permit/group-barrier.ts'
import type { PermitWait, WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { podUid } from '../queue/queued-pod.ts'
import { GANG_SCHEDULING } from '../queue/rejectors.ts'
import type { GroupDirectory } from './group-directory.ts'

/** Dependencies of {@link createGangBarriers}. */
export interface GangBarrierParts {
  readonly waitingPods: WaitingPodRegistry
  /** The members that have not reached the barrier, because their reserve or permit hooks run. */
  readonly unboundPods: Pick<UnboundPods, 'preempt'>
  readonly directory: Pick<GroupDirectory, 'isWaiting' | 'boundCount'>
  readonly clock: Clock
}

/** Called at most once per attempt of a group. */
export interface GangObserver {
  /** Enough members are bound or may be bound. */
  readonly onComplete: () => void
  /** The members that waited were rejected. */
  readonly onRejected: (message: string) => void
}

/** The barriers of all groups. */
export interface GangBarriers {
  /** Adds placed members to the barrier of their group, from which all members of the group start together. */
  join(group: PodGroup, pods: readonly Pod[], observer: GangObserver): GroupBarrier
  /**
   * Applies a change of a pod. A member that another scheduler bound counts from now on; one that was deleted or has
   * ended no longer counts. Call it after {@link GroupDirectory.observe}.
   */
  observe(change: ClusterChange): void
  /** Number of groups with members that wait, or that the barrier let through and that are not seen bound yet. */
  readonly size: number
}

interface Gang {
  readonly group: PodGroup
  /** Members that are on their way to the barrier or wait there. */
  readonly joined: Set<string>
  /** Those that wait there, by uid. */
  readonly arrived: Map<string, PermitWait>
  /** Members that the barrier let through and that are not seen bound yet. */
  readonly released: Set<string>
  observers: GangObserver[]
  rejection: string | undefined
  timer: Timer | undefined
}

/**
 * Creates the barriers. Each has the timeout of its group, after which every member that is not bound is rejected.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go Permit (v1.36), which counts
 * members when they are assumed; here they count when no other plugin delays them any longer.
 */
export function createGangBarriers({ waitingPods, unboundPods, directory, clock }: GangBarrierParts): GangBarriers {
  const gangs = new Map<string, Gang>()

  /** Returns the number of members that are bound or may be bound, plus `others`. Does not iterate over members. */
  const countWith = ({ group, released }: Gang, others: number): number =>
    directory.boundCount(group.ref) + released.size + others

  const release = (gang: Gang): void => {
    const { arrived, joined, released, observers } = gang
    gang.observers = []
    for (const [uid, wait] of arrived) {
      joined.delete(uid)
      released.add(uid)
      wait.allow(GANG_SCHEDULING)
    }
    arrived.clear()
    for (const { onComplete } of observers) onComplete()
  }
  const reject = (gang: Gang, reason: string): void => {
    if (gang.rejection !== undefined) return
    const { ref } = gang.group
    const message = `pod group ${ref.namespace}/${ref.name}: ${reason}`
    gang.rejection = message
    gang.timer?.cancel()
    for (const uid of gang.joined) {
      const waiting = waitingPods.for(GANG_SCHEDULING).get(uid)
      if (waiting === undefined) unboundPods.preempt(uid, groupError(message))
      else waiting.reject(message)
    }
    for (const { onRejected } of gang.observers) onRejected(message)
    gang.observers = []
  }
  /**
   * Lets the members through if there are enough, rejects them if there cannot be enough, and forgets a gang without
   * members.
   */
  const settle = (gang: Gang): void => {
    const { group, joined, arrived, released } = gang
    const { minCount } = group
    if (gang.rejection === undefined && joined.size > 0) {
      if (arrived.size > 0 && countWith(gang, arrived.size) >= minCount) release(gang)
      else if (countWith(gang, joined.size) < minCount) {
        reject(gang, `fewer than ${minCount} members can be bound, because another member failed or was deleted`)
      }
    }
    if (joined.size > 0) return
    gang.timer?.cancel()
    gang.timer = undefined
    const key = podGroupKey(group.ref)
    if (released.size === 0 && gangs.get(key) === gang) gangs.delete(key)
  }
  const drop = ({ joined, arrived, released }: Gang, uid: string): void => {
    joined.delete(uid)
    arrived.delete(uid)
    released.delete(uid)
  }

  return {
    get size() {
      return gangs.size
    },
    observe(change) {
      if (change.kind !== 'pod-added' && change.kind !== 'pod-updated' && change.kind !== 'pod-deleted') return
      const { pod, old } = change
      const uid = podUid(pod)
      // The label of scheduler-plugins may change.
      const keys = [pod, old].map((each) => each && podGroupKeyOf(each))
      for (const key of new Set(keys)) {
        const gang = key === undefined ? undefined : gangs.get(key)
        if (gang === undefined) continue
        // A bound member counts as such from now on.
        if (!directory.isWaiting(gang.group.ref, uid)) drop(gang, uid)
        settle(gang)
      }
    },
    join(group, pods, observer) {
      const key = podGroupKey(group.ref)
      const known = gangs.get(key)
      // The members of a rejected gang keep using it until they leave. The next attempt starts with a new gang.
      const gang: Gang =
        known !== undefined && known.rejection === undefined
          ? known
          : {
              group,
              joined: new Set(),
              arrived: new Map(),
              released: known?.released ?? new Set(),
              observers: [],
              rejection: undefined,
              timer: undefined,
            }
      gangs.set(key, gang)
      gang.observers.push(observer)
      for (const pod of pods) gang.joined.add(podUid(pod))
      gang.timer ??= clock.setTimer(group.timeoutMs, () => {
        gang.timer = undefined
        reject(gang, `fewer than ${group.minCount} members could be bound within ${group.timeoutMs / 1_000} s`)
      })

      return {
        async arrive(pod, nodeName) {
          const uid = podUid(pod)
          const { rejection } = gang
          if (rejection !== undefined) return { kind: 'rejected', plugin: GANG_SCHEDULING, message: rejection }
          const wait = waitingPods.enter(pod, nodeName)
          wait.delay(GANG_SCHEDULING, group.timeoutMs)
          wait.publish()
          gang.joined.add(uid)
          gang.arrived.set(uid, wait)
          settle(gang)
          try {
            return await wait.whenDecided()
          } finally {
            wait.leave()
          }
        },
        leave(pod) {
          drop(gang, podUid(pod))
          settle(gang)
        },
      }
    },
  }
}

function groupError(message: string): EffectError {
  return new EffectError(GANG_SCHEDULING, message, { code: 'BERTH_SCHEDULER_EFFECT', retryable: true })
}
