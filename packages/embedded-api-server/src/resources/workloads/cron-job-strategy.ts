import type { Strategy } from '../kinds/strategy.ts'
import { workloadStrategy } from './workload-strategy.ts'

const workload = workloadStrategy(
  { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
)

const SELECTOR_FIELDS = new Set(['spec.selector', 'spec.template.metadata.labels'])

/**
 * Write rules of CronJobs: the pod template of their Jobs is defaulted and validated as in other workloads, without the
 * selector and its labels, because the server generates those for each Job.
 */
export const cronJobStrategy: Strategy = {
  ...workload,
  validate: (cronJob, old, isStatus) =>
    (workload.validate?.(cronJob, old, isStatus) ?? []).filter(({ field = '' }) => !SELECTOR_FIELDS.has(field)),
}
