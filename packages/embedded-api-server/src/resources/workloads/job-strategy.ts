import type { LabelSelector } from '@berth/types'
import { numberAt, objectAt, own, valueAt, withField, withValueAt } from '../../schema/json/json-object.ts'
import { withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { labelMatcher } from '../selectors/label-selector.ts'
import type { Strategy } from '../kinds/strategy.ts'
import { workloadStrategy } from './workload-strategy.ts'

const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name']
const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const SPEC_DEFAULTS = { backoffLimit: 6, completionMode: 'NonIndexed', suspend: false }

const workload = workloadStrategy(SPEC_DEFAULTS)

/**
 * Write rules of Jobs: missing counts are derived from the given ones, and unless `manualSelector` is set, the server
 * generates a selector that matches only the Job's own pods.
 *
 * @see kubernetes pkg/registry/batch/job/strategy.go, pkg/apis/batch/v1/defaults.go (v1.36)
 */
export const jobStrategy: Strategy = {
  ...workload,
  defaults(job) {
    const spec = objectAt(job, 'spec')
    const hasNoCounts = own(spec, 'completions') === undefined && own(spec, 'parallelism') === undefined
    const counts = { parallelism: 1, ...(hasNoCounts ? { completions: 1 } : {}) }
    const podReplacementPolicy = own(spec, 'podFailurePolicy') === undefined ? 'TerminatingOrFailed' : 'Failed'
    const next: ApiObject = { ...job, spec: { ...counts, podReplacementPolicy, manualSelector: false, ...spec } }
    const isPerIndex = numberAt(spec, 'backoffLimitPerIndex') !== undefined && own(spec, 'backoffLimit') === undefined
    return workload.defaults?.(isPerIndex ? withValueAt(next, ['spec', 'backoffLimit'], 2_147_483_647) : next) ?? next
  },
  prepareCreate(job, context) {
    const prepared = workload.prepareCreate?.(job, context) ?? job
    return valueAt(prepared, 'spec', 'manualSelector') === true ? prepared : withGeneratedSelector(prepared)
  },
  validate(job, old, isStatus) {
    const causes = workload.validate?.(job, old, isStatus) ?? []
    if (isStatus || valueAt(job, 'spec', 'manualSelector') === true) return causes
    const selector = valueAt(job, 'spec', 'selector')
    return labelMatcher(selector as LabelSelector | undefined)(generatedLabels(job))
      ? causes
      : [...causes, fieldError.invalid('spec.selector', selector, '`selector` not auto-generated')]
  },
}

function generatedLabels({ metadata: { name = '', uid = '' } }: ApiObject): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...NAME_LABELS.map((label) => [label, name] as const),
    ...UID_LABELS.map((label) => [label, uid] as const),
  ])
}

function withGeneratedSelector(job: ApiObject): ApiObject {
  const { uid = '', labels: ownLabels = {} } = job.metadata
  const labels = { ...generatedLabels(job), ...objectAt(job, 'spec', 'template', 'metadata', 'labels') }
  const selector = objectAt(job, 'spec', 'selector')
  const matchLabels = { 'batch.kubernetes.io/controller-uid': uid, ...objectAt(selector, 'matchLabels') }
  // A Job without labels gets those of its pod template.
  const named =
    Object.keys(ownLabels).length > 0 ? job : withMetadata(job, { labels: labels as Readonly<Record<string, string>> })
  const labelled = withValueAt(named, ['spec', 'template', 'metadata', 'labels'], labels)
  return withValueAt(labelled, ['spec', 'selector'], withField(selector, 'matchLabels', matchLabels))
}
