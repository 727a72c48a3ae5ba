import type { LabelSelector } from '@berth/types'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, objectAt, stringAt, valueAt } from '../../schema/json/json-object.ts'
import { booleanColumn, integerColumn, named, textColumn, wide } from './basic-columns.ts'
import type { Column } from './column.ts'
import { ageOf, humanDuration } from '@berth/text/human-duration'

/** Returns the wide columns of the containers of the pod template at a path. */
function templateColumns(...path: readonly string[]): readonly Column[] {
  const column = (name: string, key: string): Column =>
    wide({
      name,
      cell: (object) =>
        listAt(object, ...path, 'containers')
          .map((each) => stringAt(each, key))
          .join(',') || '<none>',
    })
  return [column('Containers', 'name'), column('Images', 'image')]
}

function selectorColumn(...path: readonly string[]): Column {
  return wide({ name: 'Selector', cell: (object) => selectorText(valueAt(object, ...path)) })
}

const ofTemplate = templateColumns('spec', 'template', 'spec')
const ofSelector = selectorColumn('spec', 'selector')
const readyReplicasColumn: Column = {
  name: 'Ready',
  cell: (each) => `${numberAt(each, 'status', 'readyReplicas') ?? 0}/${numberAt(each, 'spec', 'replicas') ?? 0}`,
}
const replicaSetColumns: readonly Column[] = [
  ...named(
    integerColumn('Desired', 'spec.replicas'),
    integerColumn('Current', 'status.replicas'),
    integerColumn('Ready', 'status.readyReplicas'),
  ),
  ...ofTemplate,
  ofSelector,
]

/** The columns of workloads, by the name of their collection. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  'apps/deployments': [
    ...named(
      readyReplicasColumn,
      textColumn('Up-to-date', 'status.updatedReplicas', '0'),
      textColumn('Available', 'status.availableReplicas', '0'),
    ),
    ...ofTemplate,
    ofSelector,
  ],
  'apps/replicasets': replicaSetColumns,
  '/replicationcontrollers': replicaSetColumns,
  'apps/daemonsets': [
    ...named(
      integerColumn('Desired', 'status.desiredNumberScheduled'),
      integerColumn('Current', 'status.currentNumberScheduled'),
      integerColumn('Ready', 'status.numberReady'),
      integerColumn('Up-to-date', 'status.updatedNumberScheduled'),
      integerColumn('Available', 'status.numberAvailable'),
      {
        name: 'Node Selector',
        cell: (each) => selectorText({ matchLabels: objectAt(each, 'spec', 'template', 'spec', 'nodeSelector') }),
      },
    ),
    ...ofTemplate,
    ofSelector,
  ],
  'apps/statefulsets': [...named(readyReplicasColumn), ...ofTemplate],
  'batch/jobs': [
    ...named(
      { name: 'Status', cell: jobStatus },
      {
        name: 'Completions',
        cell: (each) => `${numberAt(each, 'status', 'succeeded') ?? 0}/${numberAt(each, 'spec', 'completions') ?? 1}`,
      },
      { name: 'Duration', cell: jobDuration },
    ),
    ...ofTemplate,
    ofSelector,
  ],
  'batch/cronjobs': [
    ...named(
      textColumn('Schedule', 'spec.schedule'),
      textColumn('Timezone', 'spec.timeZone', '<none>'),
      booleanColumn('Suspend', 'spec.suspend'),
      { name: 'Active', type: 'integer', cell: (each) => listAt(each, 'status', 'active').length },
      { name: 'Last Schedule', cell: lastScheduleText },
    ),
    ...templateColumns('spec', 'jobTemplate', 'spec', 'template', 'spec'),
    selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
  ],
}

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

function lastScheduleText(cronJob: ApiObject, nowMs: number): string {
  const last = stringAt(cronJob, 'status', 'lastScheduleTime')
  return last === '' ? '<none>' : ageOf(last, nowMs)
}
