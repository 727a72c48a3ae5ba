import type { Strategy } from '../kinds/strategy.ts'
import { workloadStrategy } from './workload-strategy.ts'

const workload = workloadStrategy(
  { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
)

const SELECTOR_FIELDS = new Set(['spec.selector', 'spec.template.metadata.labels'])

/** CronJobs have the pod template of their Jobs and no selector: each Job gets its own. */
export const cronJobStrategy: Strategy = {
  ...workload,
  validate: (cronJob, old, isStatus) =>
    (workload.validate?.(cronJob, old, isStatus) ?? []).filter(({ field = '' }) => !SELECTOR_FIELDS.has(field)),
}
