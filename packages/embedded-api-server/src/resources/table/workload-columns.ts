import type { LabelSelector } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { AGE, NAME } from './basic-columns.ts'
import type { Column } from './column.ts'
import { ageOf, humanDuration } from './human-duration.ts'

const number =
  (...path: readonly string[]) =>
  (object: ApiObject): number =>
    numberAt(object, ...path) ?? 0

const templateColumns = (...path: readonly string[]): readonly Column[] => [
  {
    name: 'Containers',
    priority: 1,
    cell: (object) =>
      listAt(object, ...path, 'containers')
        .map((each) => stringAt(each, 'name'))
        .join(',') || '<none>',
  },
  {
    name: 'Images',
    priority: 1,
    cell: (object) =>
      listAt(object, ...path, 'containers')
        .map((each) => stringAt(each, 'image'))
        .join(',') || '<none>',
  },
]

const TEMPLATE = templateColumns('spec', 'template', 'spec')
const SELECTOR: Column = {
  name: 'Selector',
  priority: 1,
  cell: (object) => selectorText(valueAt(object, 'spec', 'selector')),
}

/** The columns of workloads, by storage. */
export const workloadColumns: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  [
    'apps/deployments',
    [
      NAME,
      {
        name: 'Ready',
        cell: (each) => `${number('status', 'readyReplicas')(each)}/${number('spec', 'replicas')(each)}`,
      },
      { name: 'Up-to-date', cell: (each) => String(number('status', 'updatedReplicas')(each)) },
      { name: 'Available', cell: (each) => String(number('status', 'availableReplicas')(each)) },
      AGE,
      ...TEMPLATE,
      SELECTOR,
    ],
  ],
  ...(['apps/replicasets', '/replicationcontrollers'] as const).map((storage): [string, readonly Column[]] => [
    storage,
    [
      NAME,
      { name: 'Desired', type: 'integer', cell: number('spec', 'replicas') },
      { name: 'Current', type: 'integer', cell: number('status', 'replicas') },
      { name: 'Ready', type: 'integer', cell: number('status', 'readyReplicas') },
      AGE,
      ...TEMPLATE,
      SELECTOR,
    ],
  ]),
  [
    'apps/daemonsets',
    [
      NAME,
      { name: 'Desired', type: 'integer', cell: number('status', 'desiredNumberScheduled') },
      { name: 'Current', type: 'integer', cell: number('status', 'currentNumberScheduled') },
      { name: 'Ready', type: 'integer', cell: number('status', 'numberReady') },
      { name: 'Up-to-date', type: 'integer', cell: number('status', 'updatedNumberScheduled') },
      { name: 'Available', type: 'integer', cell: number('status', 'numberAvailable') },
      {
        name: 'Node Selector',
        cell: (each) => selectorText({ matchLabels: objectAt(each, 'spec', 'template', 'spec', 'nodeSelector') }),
      },
      AGE,
      ...TEMPLATE,
      SELECTOR,
    ],
  ],
  [
    'apps/statefulsets',
    [
      NAME,
      {
        name: 'Ready',
        cell: (each) => `${number('status', 'readyReplicas')(each)}/${number('spec', 'replicas')(each)}`,
      },
      AGE,
      ...TEMPLATE,
    ],
  ],
  [
    'batch/jobs',
    [
      NAME,
      { name: 'Status', cell: jobStatus },
      {
        name: 'Completions',
        cell: (each) => `${number('status', 'succeeded')(each)}/${numberAt(each, 'spec', 'completions') ?? 1}`,
      },
      { name: 'Duration', cell: jobDuration },
      AGE,
      ...TEMPLATE,
      SELECTOR,
    ],
  ],
  [
    'batch/cronjobs',
    [
      NAME,
      { name: 'Schedule', cell: (each) => stringAt(each, 'spec', 'schedule') },
      { name: 'Timezone', cell: (each) => stringAt(each, 'spec', 'timeZone') || '<none>' },
      { name: 'Suspend', type: 'boolean', cell: (each) => own(objectAt(each, 'spec'), 'suspend') === true },
      { name: 'Active', type: 'integer', cell: (each) => listAt(each, 'status', 'active').length },
      {
        name: 'Last Schedule',
        cell: (each, nowMs) => {
          const last = stringAt(each, 'status', 'lastScheduleTime')
          return last === '' ? '<none>' : ageOf(last, nowMs)
        },
      },
      AGE,
      ...templateColumns('spec', 'jobTemplate', 'spec', 'template', 'spec'),
      {
        name: 'Selector',
        priority: 1,
        cell: (each) => selectorText(valueAt(each, 'spec', 'jobTemplate', 'spec', 'selector')),
      },
    ],
  ],
])

/** A selector as kubectl prints it. */
export function selectorText(selector: unknown): string {
  const { matchLabels, matchExpressions = [] } = (selector ?? {}) as LabelSelector
  const labels = Object.entries(matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator.toLowerCase()} (${values.join(',')})`
  })
  return [...labels, ...expressions].join(',') || '<none>'
}

function jobStatus(job: ApiObject): string {
  const holds = (type: string): boolean =>
    listAt(job, 'status', 'conditions').some(
      (each) => stringAt(each, 'type') === type && stringAt(each, 'status') === 'True',
    )
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  return holds('Suspended') ? 'Suspended' : 'Running'
}

function jobDuration(job: ApiObject, nowMs: number): string {
  const start = Date.parse(stringAt(job, 'status', 'startTime'))
  if (Number.isNaN(start)) return ''
  const end = Date.parse(stringAt(job, 'status', 'completionTime'))
  return humanDuration((Number.isNaN(end) ? nowMs : end) - start)
}
