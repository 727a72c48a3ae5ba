import { podGroupKey } from '@berth/fit-engine'
import { isBound } from '@berth/resources'
import type { Clock, Pod, PodGroup, PodGroupRef, Timer } from '@berth/types'
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
  /** The members that have not reached the barrier, because their reserve or preBind hooks run or their volumes are bound. */
  readonly unboundPods: Pick<UnboundPods, 'preempt'>
  readonly directory: Pick<GroupDirectory, 'members'>
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
  /** Number of groups with members that wait, or that the barrier let through and that were not seen bound at the last join. */
  readonly size: number
}

interface Gang {
  readonly ref: PodGroupRef
  /** Members that are on their way to the barrier or wait there, by uid. */
  readonly joined: Map<string, PermitWait | undefined>
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

  /** Forgets the released members that are seen bound or are gone. */
  const forgetSettled = ({ ref, released }: Gang): void => {
    const members = directory.members(ref)
    for (const uid of released) {
      const pod = members.get(uid)
      if (pod === undefined || isBound(pod)) released.delete(uid)
    }
  }
  /** Forgets the gangs of which every member is bound. The barrier does not see the binds, so the next join cleans up. */
  const forgetCompleted = (): void => {
    for (const [key, gang] of gangs) {
      if (gang.joined.size > 0) continue
      forgetSettled(gang)
      if (gang.released.size === 0) gangs.delete(key)
    }
  }

  return {
    get size() {
      return gangs.size
    },
    join(group, pods, observer) {
      forgetCompleted()
      const key = podGroupKey(group.ref)
      const known = gangs.get(key)
      // A gang that was rejected is left to its members; the next attempt starts with a new one.
      const gang: Gang =
        known !== undefined && known.rejection === undefined
          ? known
          : {
              ref: group.ref,
              joined: new Map(),
              released: known?.released ?? new Set(),
              observers: [],
              rejection: undefined,
              timer: undefined,
            }
      gangs.set(key, gang)
      gang.observers.push(observer)
      for (const pod of pods) gang.joined.set(podUid(pod), undefined)

      /** Counts members: those that are bound or may be bound, and `others`. */
      const count = (others: Iterable<string>): number => {
        const members = directory.members(group.ref)
        const uids = new Set<string>()
        for (const [uid, pod] of members) if (isBound(pod)) uids.add(uid)
        // A bound pod counts above; a deleted one no longer does.
        forgetSettled(gang)
        for (const uid of gang.released) uids.add(uid)
        for (const uid of others) if (members.has(uid)) uids.add(uid)
        return uids.size
      }
      const endIfEmpty = (): void => {
        if (gang.joined.size > 0) return
        gang.timer?.cancel()
        gang.timer = undefined
        if (gang.released.size === 0 && gangs.get(key) === gang) gangs.delete(key)
      }
      const release = (): void => {
        const arrived = [...gang.joined].flatMap(([uid, wait]) => (wait === undefined ? [] : [{ uid, wait }]))
        if (count(arrived.map(({ uid }) => uid)) < group.minCount) return
        const { observers } = gang
        gang.observers = []
        for (const { uid, wait } of arrived) {
          gang.joined.delete(uid)
          gang.released.add(uid)
          wait.allow(GANG_SCHEDULING)
        }
        for (const { onComplete } of observers) onComplete()
        endIfEmpty()
      }
      const reject = (message: string): void => {
        if (gang.rejection !== undefined) return
        gang.rejection = message
        gang.timer?.cancel()
        for (const uid of gang.joined.keys()) {
          const waiting = waitingPods.for(GANG_SCHEDULING).get(uid)
          if (waiting === undefined) unboundPods.preempt(uid, groupError(message))
          else waiting.reject(message)
        }
        for (const { onRejected } of gang.observers) onRejected(message)
        gang.observers = []
      }
      const groupName = `pod group ${group.ref.namespace}/${group.ref.name}`
      gang.timer ??= clock.setTimer(group.timeoutMs, () => {
        gang.timer = undefined
        const seconds = group.timeoutMs / 1_000
        reject(`${groupName}: fewer than ${group.minCount} members could be bound within ${seconds} s`)
      })

      return {
        async arrive(pod, nodeName) {
          const uid = podUid(pod)
          const { rejection } = gang
          if (rejection !== undefined) return { kind: 'rejected', plugin: GANG_SCHEDULING, message: rejection }
          const wait = waitingPods.enter(pod, nodeName)
          wait.delay(GANG_SCHEDULING, group.timeoutMs)
          wait.publish()
          gang.joined.set(uid, wait)
          release()
          try {
            return await wait.whenDecided()
          } finally {
            wait.leave()
          }
        },
        leave(pod) {
          const uid = podUid(pod)
          gang.joined.delete(uid)
          gang.released.delete(uid)
          if (gang.joined.size > 0 && count(gang.joined.keys()) < group.minCount) {
            reject(`${groupName}: fewer than ${group.minCount} members can be bound, because another member failed`)
          }
          endIfEmpty()
        },
      }
    },
  }
}

function groupError(message: string): EffectError {
  return new EffectError(GANG_SCHEDULING, message, { code: 'BERTH_SCHEDULER_EFFECT', retryable: true })
}
