import type { LabelSelector } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, own, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { ageColumn, nameColumn } from './basic-columns.ts'
import type { Column } from './column.ts'
import { ageOf, humanDuration } from './human-duration.ts'

const numberField =
  (...path: readonly string[]) =>
  (object: ApiObject): number =>
    numberAt(object, ...path) ?? 0

const columnsOfTemplate = (...path: readonly string[]): readonly Column[] => [
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

const podTemplateColumns = columnsOfTemplate('spec', 'template', 'spec')
const selectorColumn: Column = {
  name: 'Selector',
  priority: 1,
  cell: (object) => selectorText(valueAt(object, 'spec', 'selector')),
}

/** The columns of workloads, by the name of their collection. */
export const workloadColumns: ReadonlyMap<string, readonly Column[]> = new Map<string, readonly Column[]>([
  [
    'apps/deployments',
    [
      nameColumn,
      {
        name: 'Ready',
        cell: (each) => `${numberField('status', 'readyReplicas')(each)}/${numberField('spec', 'replicas')(each)}`,
      },
      { name: 'Up-to-date', cell: (each) => String(numberField('status', 'updatedReplicas')(each)) },
      { name: 'Available', cell: (each) => String(numberField('status', 'availableReplicas')(each)) },
      ageColumn,
      ...podTemplateColumns,
      selectorColumn,
    ],
  ],
  ...(['apps/replicasets', '/replicationcontrollers'] as const).map((storage): [string, readonly Column[]] => [
    storage,
    [
      nameColumn,
      { name: 'Desired', type: 'integer', cell: numberField('spec', 'replicas') },
      { name: 'Current', type: 'integer', cell: numberField('status', 'replicas') },
      { name: 'Ready', type: 'integer', cell: numberField('status', 'readyReplicas') },
      ageColumn,
      ...podTemplateColumns,
      selectorColumn,
    ],
  ]),
  [
    'apps/daemonsets',
    [
      nameColumn,
      { name: 'Desired', type: 'integer', cell: numberField('status', 'desiredNumberScheduled') },
      { name: 'Current', type: 'integer', cell: numberField('status', 'currentNumberScheduled') },
      { name: 'Ready', type: 'integer', cell: numberField('status', 'numberReady') },
      { name: 'Up-to-date', type: 'integer', cell: numberField('status', 'updatedNumberScheduled') },
      { name: 'Available', type: 'integer', cell: numberField('status', 'numberAvailable') },
      {
        name: 'Node Selector',
        cell: (each) => selectorText({ matchLabels: objectAt(each, 'spec', 'template', 'spec', 'nodeSelector') }),
      },
      ageColumn,
      ...podTemplateColumns,
      selectorColumn,
    ],
  ],
  [
    'apps/statefulsets',
    [
      nameColumn,
      {
        name: 'Ready',
        cell: (each) => `${numberField('status', 'readyReplicas')(each)}/${numberField('spec', 'replicas')(each)}`,
      },
      ageColumn,
      ...podTemplateColumns,
    ],
  ],
  [
    'batch/jobs',
    [
      nameColumn,
      { name: 'Status', cell: jobStatus },
      {
        name: 'Completions',
        cell: (each) => `${numberField('status', 'succeeded')(each)}/${numberAt(each, 'spec', 'completions') ?? 1}`,
      },
      { name: 'Duration', cell: jobDuration },
      ageColumn,
      ...podTemplateColumns,
      selectorColumn,
    ],
  ],
  [
    'batch/cronjobs',
    [
      nameColumn,
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
      ageColumn,
      ...columnsOfTemplate('spec', 'jobTemplate', 'spec', 'template', 'spec'),
      {
        name: 'Selector',
        priority: 1,
        cell: (each) => selectorText(valueAt(each, 'spec', 'jobTemplate', 'spec', 'selector')),
      },
    ],
  ],
])

/** Formats a label selector as kubectl prints it. */
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
  const isConditionTrue = (type: string): boolean =>
    listAt(job, 'status', 'conditions').some(
      (each) => stringAt(each, 'type') === type && stringAt(each, 'status') === 'True',
    )
  if (isConditionTrue('Complete')) return 'Complete'
  if (isConditionTrue('Failed')) return 'Failed'
  return isConditionTrue('Suspended') ? 'Suspended' : 'Running'
}

function jobDuration(job: ApiObject, nowMs: number): string {
  const start = Date.parse(stringAt(job, 'status', 'startTime'))
  if (Number.isNaN(start)) return ''
  const end = Date.parse(stringAt(job, 'status', 'completionTime'))
  return humanDuration((Number.isNaN(end) ? nowMs : end) - start)
}
