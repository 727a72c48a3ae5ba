import type { Pod, PodCondition } from '@berth/types'

/** The reason in the condition of a pod that was not bound; kube-scheduler's values. */
export type FailureReason = 'Unschedulable' | 'SchedulerError'

/**
 * Returns the condition PodScheduled=False to write; undefined when the pod already has it.
 *
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go handleSchedulingFailure (v1.36)
 */
export function podScheduledFalse(
  pod: Pick<Pod, 'metadata' | 'status'>,
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
  const now = timestamp(nowMs)
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

/** Returns the condition DisruptionTarget=True of a victim of preemption. */
export function disruptionTarget(victim: Pod, schedulerName: string, nowMs: number): PodCondition {
  const { generation } = victim.metadata
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    lastProbeTime: null,
    lastTransitionTime: timestamp(nowMs),
    ...(generation !== undefined && { observedGeneration: generation }),
  }
}

/** Formats a time as `metav1.Time` does: in whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
