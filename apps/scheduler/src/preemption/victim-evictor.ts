import { errorText } from '@berth/text/error-text'
import type { ClusterView } from '@berth/cluster-view'
import { type ApiClient, type EventRecorder, isApiStatus, resourceRefs } from '@berth/k8s-client'
import type { Clock, Logger, Pod } from '@berth/types'
import { DEFAULT_PREEMPTION } from '@berth/fit-engine'
import { PreemptionError } from '../errors.ts'
import type { UnboundPods } from '../binding/unbound-pods.ts'
import type { WaitingPodRegistry } from '../permit/waiting-pods.ts'
import { podUid, podName } from '../queue/queued-pod.ts'
import { disruptionTarget } from '../report/pod-conditions.ts'
import { podReference } from '../report/pod-reference.ts'

/** Options of {@link createVictimEvictor}. */
export interface EvictorOptions {
  readonly client: ApiClient
  readonly events: EventRecorder
  readonly view: Pick<ClusterView, 'state' | 'clearNomination'>
  /** Returns whether this scheduler places the pod. Other schedulers decide about the nominations of their pods. */
  readonly hasProfile: (pod: Pod) => boolean
  readonly waitingPods: Pick<WaitingPodRegistry, 'preempt'>
  readonly unboundPods: Pick<UnboundPods, 'preempt'>
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

/** The victims of one preemption. */
export interface Eviction {
  /** Called right before each write: false once another replica may schedule. */
  readonly mayWrite: () => boolean
  readonly preemptor: Pod
  readonly schedulerName: string
  readonly nodeName: string
  readonly victims: readonly Pod[]
}

/** Deletes victims, or ends the attempts of those that are not bound yet, and tracks the preemptor until the view shows the deletions. */
export interface VictimEvictor {
  /**
   * Marks and deletes the victims, returns those that wait for permit, preBind or their bind to the queue, and
   * clears the nominations of this scheduler's pods of lower priority for the node.
   *
   * @throws PreemptionError BERTH_SCHEDULER_PREEMPT when a victim could not be deleted.
   */
  evict(eviction: Eviction): Promise<void>
  /**
   * Returns whether the view does not show the deletion of this pod's victims yet. The pod must not preempt again then.
   */
  isWaitingForVictims(preemptor: Pod): boolean
}

/**
 * Creates an evictor.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/preemption/executor.go (v1.36)
 */
export function createVictimEvictor(options: EvictorOptions): VictimEvictor {
  const { client, events, view, hasProfile, waitingPods, unboundPods, clock, log, signal } = options
  const urgentFor = ({ mayWrite }: Pick<Eviction, 'mayWrite'>) =>
    ({ priority: 'urgent', signal, mayStart: mayWrite }) as const
  const victimsByPreemptor = new Map<string, readonly Pod[]>()
  const isSeenRunning = (victim: Pod): boolean => {
    const seen = view.state.placementOf(victim)?.pod
    return seen !== undefined && seen.metadata.deletionTimestamp === undefined
  }

  /** Deletes a victim. Returns false when the pod is already gone. */
  const deleteVictim = async (victim: Pod, eviction: Eviction): Promise<boolean> => {
    const { preemptor, schedulerName } = eviction
    const urgent = urgentFor(eviction)
    const { name = '', namespace, uid } = victim.metadata
    const target = { namespace, name }
    try {
      const body = {
        ...(uid !== undefined && { metadata: { uid } }),
        status: { conditions: [disruptionTarget(victim, schedulerName, clock.now())] },
      }
      await client.patch(resourceRefs.pods, target, body, { type: 'strategic', subresource: 'status', ...urgent })
      await client.delete(resourceRefs.pods, target, { ...(uid !== undefined && { uid }), ...urgent })
      return true
    } catch (error) {
      // The victim is gone, or its name belongs to another pod.
      if (isApiStatus(error, 404) || isApiStatus(error, 409)) return false
      throw preemptionError(victim, preemptor, error)
    }
  }

  /** Ends the attempt of a victim that is not bound yet, which is then retried. Returns false when it must be deleted. */
  const endAttempt = (victim: Pod): boolean =>
    waitingPods.preempt(podUid(victim), DEFAULT_PREEMPTION) ||
    unboundPods.preempt(
      podUid(victim),
      new PreemptionError(`preempted by ${DEFAULT_PREEMPTION}`, { code: 'BERTH_SCHEDULER_PREEMPT', retryable: true }),
    )

  /** Returns whether the victim is deleted; false when only its attempt ends and it is scheduled again. */
  const remove = async (victim: Pod, eviction: Eviction): Promise<boolean> => {
    const { preemptor, schedulerName, nodeName } = eviction
    const isUnbound = endAttempt(victim)
    if (!isUnbound && !(await deleteVictim(victim, eviction))) return true
    const note = `Preempted by pod ${preemptor.metadata.uid ?? podName(preemptor)} on node ${nodeName}`
    log.info({ pod: podName(victim), node: nodeName, preemptor: podName(preemptor) }, 'Pod preempted')
    events.record({
      regarding: podReference(victim),
      related: podReference(preemptor),
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      // kube-scheduler's suffix for a pod that is not deleted.
      note: isUnbound ? `${note} (in kube-scheduler memory).` : note,
      controller: schedulerName,
      delivery: 'each',
    })
    return !isUnbound
  }

  /** Clears the nomination of a pod of lower priority, because the preemptor will take the room. */
  const clearNomination = async (nominated: Pod, eviction: Eviction): Promise<void> => {
    view.clearNomination(nominated)
    const { name = '', namespace, uid } = nominated.metadata
    const body = { ...(uid !== undefined && { metadata: { uid } }), status: { nominatedNodeName: null } }
    try {
      await client.patch(resourceRefs.pods, { namespace, name }, body, {
        type: 'strategic',
        subresource: 'status',
        ...urgentFor(eviction),
      })
    } catch (error) {
      if (isApiStatus(error, 404) || isApiStatus(error, 409)) return
      log.warn({ err: error, pod: podName(nominated) }, 'Nomination could not be cleared')
    }
  }

  return {
    async evict(eviction) {
      const { preemptor, nodeName, victims } = eviction
      for (const [key, others] of victimsByPreemptor) if (!others.some(isSeenRunning)) victimsByPreemptor.delete(key)
      const lower = view.state
        .nominatedPods(nodeName)
        .filter((other) => hasProfile(other) && (other.spec.priority ?? 0) < (preemptor.spec.priority ?? 0))
      await Promise.all(lower.map((nominated) => clearNomination(nominated, eviction)))
      const results = await Promise.allSettled(victims.map((victim) => remove(victim, eviction)))
      const isDeleted = (_: Pod, i: number): boolean => results[i]?.status === 'fulfilled' && results[i].value
      victimsByPreemptor.set(podUid(preemptor), victims.filter(isDeleted))
      const failure = results.find((result) => result.status === 'rejected')
      if (failure !== undefined) throw failure.reason
    },
    isWaitingForVictims: (preemptor) => victimsByPreemptor.get(podUid(preemptor))?.some(isSeenRunning) ?? false,
  }
}

function preemptionError(victim: Pod, preemptor: Pod, cause: unknown): PreemptionError {
  const reason = errorText(cause)
  return new PreemptionError(`preempt pod ${podName(victim)} for ${podName(preemptor)}: ${reason}`, {
    code: 'BERTH_SCHEDULER_PREEMPT',
    retryable: true,
    cause,
  })
}
