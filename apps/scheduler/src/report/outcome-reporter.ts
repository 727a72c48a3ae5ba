import { type ApiClient, type EventRecorder, isApiStatus, resourceRefs } from '@berth/k8s-client'
import type { Clock, Logger, ObjectReference, Pod, PodCondition } from '@berth/types'
import { podName } from '../queue/queued-pod.ts'

/** Why an attempt ended without a binding, in kube-scheduler's words. */
export type FailureReason = 'Unschedulable' | 'SchedulerError'

/** Reports how attempts ended: through events, and the condition PodScheduled. */
export interface OutcomeReporter {
  scheduled(pod: Pod, nodeName: string): void
  /**
   * Writes the condition and the nomination only when they change. Never rejects.
   *
   * @param nominatedNodeName - '' clears the nomination; undefined leaves it unchanged.
   */
  failed(pod: Pod, reason: FailureReason, message: string, nominatedNodeName?: string): Promise<void>
}

/** What a reporter needs. */
export interface OutcomeReporterOptions {
  readonly client: ApiClient
  readonly events: EventRecorder
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
  /** Called right before each write about a pod that is not bound: false once another replica may schedule. */
  readonly mayStart: () => boolean
}

/** Creates a reporter. */
export function createOutcomeReporter(options: OutcomeReporterOptions): OutcomeReporter {
  const { client, events, clock, log, signal, mayStart } = options
  return {
    scheduled(pod, nodeName) {
      events.record({
        regarding: podReference(pod),
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        note: `Successfully assigned ${podName(pod)} to ${nodeName}`,
        controller: schedulerOf(pod),
      })
    },
    async failed(pod, reason, message, nominatedNodeName) {
      events.record({
        regarding: podReference(pod),
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        note: message,
        mayStart,
        controller: schedulerOf(pod),
      })
      // A pod that is being deleted needs no condition.
      if (pod.metadata.deletionTimestamp !== undefined) return
      const condition = podScheduledFalse(pod, { reason, message, nowMs: clock.now() })
      const isNominated = nominatedNodeName !== undefined && nominatedNodeName !== (pod.status?.nominatedNodeName ?? '')
      if (condition === undefined && !isNominated) return
      const status = {
        ...(condition !== undefined && { conditions: [condition] }),
        ...(isNominated && { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName }),
      }
      const { name = '', namespace, uid } = pod.metadata
      try {
        await client.patch(
          resourceRefs.pods,
          { namespace, name },
          { ...(uid !== undefined && { metadata: { uid } }), status },
          { type: 'strategic', subresource: 'status', priority: 'low', signal, mayStart },
        )
      } catch (error) {
        const isGone = isApiStatus(error, 404) || isApiStatus(error, 409)
        if (isGone || signal.aborted) return
        log.warn({ err: error, pod: podName(pod) }, 'Pod condition could not be written')
      }
    },
  }
}

/** The name of the profile. As in kube-scheduler, events have this name and not the name of the program. */
const schedulerOf = (pod: Pod): string => pod.spec.schedulerName ?? 'default-scheduler'

/** Returns the reference to a pod for events. */
export function podReference(pod: Pod): ObjectReference {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

/**
 * Returns the condition PodScheduled=False to write; undefined when the pod already has it.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go handleSchedulingFailure (v1.36)
 */
export function podScheduledFalse(
  pod: Pod,
  { reason, message, nowMs }: { readonly reason: FailureReason; readonly message: string; readonly nowMs: number },
): PodCondition | undefined {
  const current = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled')
  const generation = pod.metadata.generation
  const isSame =
    current?.status === 'False' &&
    current.reason === reason &&
    current.message === message &&
    (current.observedGeneration ?? generation) === generation
  if (isSame) return undefined
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`
  return {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: current?.status === 'False' ? (current.lastTransitionTime ?? now) : now,
    ...(generation !== undefined && { observedGeneration: generation }),
  }
}
