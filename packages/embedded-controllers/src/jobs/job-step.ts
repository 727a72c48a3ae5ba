import { type ApiObject, isReady, listAt, numberAt, objectAt, stringAt, valueAt } from '@berth/embedded-api-server'
import { jobEnds, trueCondition, withCondition, type JobCondition } from './job-conditions.ts'
import { formatIndexes, indexOf, missingIndexes, parseIndexes } from './job-indexes.ts'
import { byCostOfLoss, isActive, isFinished } from '../pods/pod-state.ts'
import { counted } from '../workloads/replica-sets.ts'

/** Holds a finished pod until its Job has counted it. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking'

/** What is to be done about a Job. */
export interface JobStep {
  readonly status: object
  /** Pods to delete. */
  readonly remove: readonly ApiObject[]
  /** Pods that are counted in `status`: the finalizer may go. */
  readonly release: readonly ApiObject[]
  /** How many pods to start. */
  readonly create: number
  /** Their indexes, for an Indexed Job. */
  readonly indexes: readonly number[]
  /** Pods that failed since the last turn. */
  readonly newFailures: number
  /** Milliseconds until the deadline. */
  readonly againMs: number | undefined
}

/** Time, and how long new pods must still wait because others failed. */
export interface JobMoment {
  readonly nowMs: number
  /** `nowMs` as a time of the API. */
  readonly now: string
  readonly backoffMs: number
}

/**
 * Looks at a Job that is not finished and at its pods, and decides. Policies for failures, successes and single indexes
 * are not looked at.
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
  const fresh = pods.filter(({ metadata }) => metadata.finalizers?.includes(TRACKING_FINALIZER) === true)
  const succeededPods = fresh.filter((pod) => stringAt(pod, 'status', 'phase') === 'Succeeded')
  const failedPods = fresh.filter((pod) => hasFailed(job, pod))
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

  let end = endOf()
  const wanted = wantedPods()
  const remove =
    end === undefined && !isSuspended
      ? active.toSorted(byCostOfLoss).slice(0, Math.max(0, active.length - wanted))
      : active
  const kept = active.length - remove.length
  if (end === undefined && !isSuspended && isReached(kept)) end = { type: 'SuccessCriteriaMet', ...jobEnds.completions }
  const isStarting = end === undefined && !isSuspended && moment.backoffMs === 0
  const create = isStarting ? Math.max(0, wanted - kept) : 0
  const left = new Set(active.filter((pod) => !remove.includes(pod)))
  if (end === undefined) suspendOrResume()
  else finish(end)

  return {
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === '' ? {} : { startTime }),
      ...(completionTime === '' ? {} : { completionTime }),
      ...counted('active', kept + create),
      ...counted('succeeded', succeeded),
      ...counted('failed', failed),
      ...(isIndexed && doneIndexes.size > 0 ? { completedIndexes: formatIndexes(doneIndexes) } : {}),
      uncountedTerminatedPods: {},
      ready: [...left].filter(isReady).length,
      terminating: terminating + remove.length,
    },
    remove,
    release: [...succeededPods, ...failedPods],
    create,
    indexes: isIndexed && create > 0 ? missingIndexes(takenIndexes(), completions ?? 0, create) : [],
    newFailures: failedPods.length,
    againMs: end === undefined && deadlineMs !== undefined ? Math.max(0, deadlineMs - passedMs) : undefined,
  }

  function endOf(): JobCondition | undefined {
    const met = trueCondition(job, 'SuccessCriteriaMet') ?? trueCondition(job, 'FailureTarget')
    if (met !== undefined) {
      const { type, reason, message } = met as unknown as JobCondition
      return { type, status: 'True', reason, message }
    }
    const limit = numberAt(job, 'spec', 'backoffLimit') ?? 6
    if (failed > limit || restarts(job, pods) >= Math.max(1, limit))
      return { type: 'FailureTarget', ...jobEnds.backoff }
    if (deadlineMs !== undefined && passedMs >= deadlineMs) return { type: 'FailureTarget', ...jobEnds.deadline }
    return undefined
  }

  function wantedPods(): number {
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

  // The outcome is settled first; the Job is finished when its last pod has ended.
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

/** Restarts of containers that count against the backoff limit; below it by far where pods are not restarted. */
function restarts(job: ApiObject, pods: readonly ApiObject[]): number {
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
