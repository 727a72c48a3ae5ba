import { type ApiObject, isObject, type JsonObject, listAt, stringAt } from '@berth/embedded-api-server'

/** A condition of a Job, without times. */
export interface JobCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** The outcomes of Jobs, with upstream's reasons and messages. */
export const jobOutcomes: Readonly<Record<'completions' | 'backoff' | 'deadline', Omit<JobCondition, 'type'>>> = {
  completions: {
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  },
  backoff: {
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  },
  deadline: {
    status: 'True',
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  },
}

/** Returns the condition of a type if its status is True. */
export function trueCondition(job: ApiObject, type: string): JsonObject | undefined {
  const found = listAt(job, 'status', 'conditions').find(
    (each) => stringAt(each, 'type') === type && stringAt(each, 'status') === 'True',
  )
  return isObject(found) ? found : undefined
}

/** Returns whether the Job is Complete or Failed. */
export function isJobFinished(job: ApiObject): boolean {
  return trueCondition(job, 'Complete') !== undefined || trueCondition(job, 'Failed') !== undefined
}

/** Returns the conditions with one added, or replaced if its status changed. */
export function withCondition(conditions: readonly unknown[], next: JobCondition, now: string): readonly unknown[] {
  const old = conditions.find((each) => stringAt(each, 'type') === next.type)
  if (stringAt(old, 'status') === next.status) return conditions
  const { type, status, reason, message } = next
  const written = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message }
  return old === undefined ? [...conditions, written] : conditions.map((each) => (each === old ? written : each))
}
