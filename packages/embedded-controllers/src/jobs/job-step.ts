import { type ApiObject, isReady, listAt, numberAt, objectAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { jobOutcomes, trueCondition, withCondition, type JobCondition } from './job-conditions.ts'
import { formatIndexes, indexOf, missingIndexes, parseIndexes } from './job-indexes.ts'
import { byDeletionOrder, isActive, isFinished } from '../pods/pod-state.ts'
import { counterField } from '../workloads/replica-sets.ts'

/** Finalizer that holds a finished pod until its Job has counted it. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking'

/** The next step of a Job. */
export interface JobStep {
  readonly status: object
  /** Pods to delete. */
  readonly remove: readonly ApiObject[]
  /** Pods that `status` counts, so that their finalizer can be removed. */
  readonly removeTrackingFinalizer: readonly ApiObject[]
  /** Number of pods to create. */
  readonly create: number
  /** Indexes of the pods to create, for an Indexed Job. */
  readonly indexes: readonly number[]
  /** Number of pods that failed since the last step. */
  readonly newFailures: number
  /** Milliseconds until `activeDeadlineSeconds` pass; undefined without a deadline, and once the outcome is known. */
  readonly requeueAfterMs: number | undefined
}

/** The current time, and for how many milliseconds the Job may not create pods because of failures. */
export interface JobMoment {
  readonly nowMs: number
  /** `nowMs` in the format of the API. */
  readonly now: string
  readonly backoffMs: number
}

/**
 * Returns the next step of a Job that is not finished. Pod failure policies, success policies and backoff limits per
 * index are not implemented.
 *
 * @see kubernetes/kubernetes pkg/controller/job/job_controller.go syncJob (v1.36)
 */
export function jobStep(job: ApiObject, pods: readonly ApiObject[], moment: JobMoment): JobStep {
  const { nowMs, now } = moment
  const completions = numberAt(job, 'spec', 'completions')
  const isIndexed = stringAt(job, 'spec', 'completionMode') === 'Indexed'
  const isSuspended = valueAt(job, 'spec', 'suspend') === true
  const active = pods.filter(isActive)
  const terminating = pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isFinished(pod)).length
  const uncounted = pods.filter(({ metadata }) => metadata.finalizers?.includes(TRACKING_FINALIZER) === true)
  const succeededPods = uncounted.filter((pod) => stringAt(pod, 'status', 'phase') === 'Succeeded')
  const failedPods = uncounted.filter((pod) => hasFailed(job, pod))
  const doneIndexes = new Set([
    ...parseIndexes(stringAt(job, 'status', 'completedIndexes'), completions ?? 0),
    ...succeededPods.map(indexOf).filter((index) => index !== undefined),
  ])
  const succeeded = isIndexed ? doneIndexes.size : (numberAt(job, 'status', 'succeeded') ?? 0) + succeededPods.length
  const failed = (numberAt(job, 'status', 'failed') ?? 0) + failedPods.length

  let startTime = stringAt(job, 'status', 'startTime')
  if (startTime === '' && !isSuspended) startTime = now
  let conditions = listAt(job, 'status', 'conditions')
  let completionTime = stringAt(job, 'status', 'completionTime')
  const passedMs = startTime === '' ? 0 : nowMs - Date.parse(startTime)
  const deadlineMs = isSuspended ? undefined : secondsAt(job, 'activeDeadlineSeconds')

  let outcome = outcomeOf()
  const desired = desiredPods()
  const remove =
    outcome === undefined && !isSuspended
      ? active.toSorted(byDeletionOrder).slice(0, Math.max(0, active.length - desired))
      : active
  const kept = active.length - remove.length
  if (outcome === undefined && !isSuspended && isReached(kept))
    outcome = { type: 'SuccessCriteriaMet', ...jobOutcomes.completions }
  const isStarting = outcome === undefined && !isSuspended && moment.backoffMs === 0
  const create = isStarting ? Math.max(0, desired - kept) : 0
  const left = new Set(active.filter((pod) => !remove.includes(pod)))
  if (outcome === undefined) suspendOrResume()
  else finish(outcome)

  return {
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === '' ? {} : { startTime }),
      ...(completionTime === '' ? {} : { completionTime }),
      ...counterField('active', kept + create),
      ...counterField('succeeded', succeeded),
      ...counterField('failed', failed),
      ...(isIndexed && doneIndexes.size > 0 ? { completedIndexes: formatIndexes(doneIndexes) } : {}),
      uncountedTerminatedPods: {},
      ready: [...left].filter(isReady).length,
      terminating: terminating + remove.length,
    },
    remove,
    removeTrackingFinalizer: [...succeededPods, ...failedPods],
    create,
    indexes: isIndexed && create > 0 ? missingIndexes(takenIndexes(), completions ?? 0, create) : [],
    newFailures: failedPods.length,
    requeueAfterMs: outcome === undefined && deadlineMs !== undefined ? Math.max(0, deadlineMs - passedMs) : undefined,
  }

  function outcomeOf(): JobCondition | undefined {
    const met = trueCondition(job, 'SuccessCriteriaMet') ?? trueCondition(job, 'FailureTarget')
    if (met !== undefined) {
      const { type, reason, message } = met as unknown as JobCondition
      return { type, status: 'True', reason, message }
    }
    const limit = numberAt(job, 'spec', 'backoffLimit') ?? 6
    if (failed > limit || containerRestarts(job, pods) >= Math.max(1, limit))
      return { type: 'FailureTarget', ...jobOutcomes.backoff }
    if (deadlineMs !== undefined && passedMs >= deadlineMs) return { type: 'FailureTarget', ...jobOutcomes.deadline }
    return undefined
  }

  function desiredPods(): number {
    const parallelism = numberAt(job, 'spec', 'parallelism') ?? 1
    if (completions === undefined) return succeeded > 0 ? active.length : parallelism
    return Math.max(0, Math.min(parallelism, completions - succeeded))
  }

  function isReached(activePods: number): boolean {
    return activePods === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions)
  }

  function takenIndexes(): ReadonlySet<number> {
    return new Set([...doneIndexes, ...[...left].map(indexOf).filter((index) => index !== undefined)])
  }

  function suspendOrResume(): void {
    if (isSuspended) {
      conditions = withCondition(
        conditions,
        { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
        now,
      )
      startTime = ''
    } else if (trueCondition(job, 'Suspended') !== undefined) {
      conditions = withCondition(
        conditions,
        { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
        now,
      )
      startTime = now
    }
  }

  // The condition of the outcome is set at once, Complete or Failed only when no pod terminates any more.
  function finish(outcome: JobCondition): void {
    conditions = withCondition(conditions, outcome, now)
    if (terminating + remove.length > 0) return
    const isSuccess = outcome.type === 'SuccessCriteriaMet'
    conditions = withCondition(conditions, { ...outcome, type: isSuccess ? 'Complete' : 'Failed' }, now)
    if (isSuccess) completionTime = now
  }
}

function hasFailed(job: ApiObject, pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  if (phase === 'Failed') return true
  const waits = stringAt(job, 'spec', 'podReplacementPolicy') === 'Failed'
  return !waits && pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded'
}

/** Counts the container restarts for the backoff limit; -1 when the restart policy is not OnFailure. */
function containerRestarts(job: ApiObject, pods: readonly ApiObject[]): number {
  if (stringAt(objectAt(job, 'spec', 'template', 'spec'), 'restartPolicy') !== 'OnFailure') return -1
  return pods
    .filter((pod) => !isFinished(pod))
    .flatMap((pod) => listAt(pod, 'status', 'containerStatuses'))
    .reduce<number>((sum, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0)
}

function secondsAt(job: ApiObject, field: string): number | undefined {
  const seconds = numberAt(job, 'spec', field)
  return seconds === undefined ? undefined : seconds * 1000
}
