import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, numberAt, own, objectAt, stringAt } from '../../schema/json/json-object.ts'
import { ageColumn, nameColumn, textColumn, wide } from './basic-columns.ts'
import type { Column } from './column.ts'
import { ageOf } from '@berth/text/human-duration'

/**
 * The table columns of pods.
 *
 * @see kubernetes pkg/printers/internalversion/printers.go printPod (v1.36)
 */
export const podColumns: readonly Column[] = [
  nameColumn,
  { name: 'Ready', description: 'Ready containers of all containers.', cell: readyText },
  { name: 'Status', description: 'Phase of the pod, or the reason for a problem.', cell: statusText },
  {
    name: 'Restarts',
    description: 'Number of container restarts and the time since the last one.',
    cell: restartsText,
  },
  ageColumn,
  wide(textColumn('IP', 'status.podIP', '<none>')),
  wide(textColumn('Node', 'spec.nodeName', '<none>')),
  wide(textColumn('Nominated Node', 'status.nominatedNodeName', '<none>')),
  { name: 'Readiness Gates', priority: 1, cell: readinessGatesText },
]

function containerStatuses(pod: ApiObject): readonly unknown[] {
  return listAt(pod, 'status', 'containerStatuses')
}

function readyText(pod: ApiObject): string {
  const ready = containerStatuses(pod).filter(
    (status) => own(status, 'ready') === true && isObject(objectAt(status, 'state')['running']),
  ).length
  return `${ready}/${listAt(pod, 'spec', 'containers').length}`
}

function statusText(pod: ApiObject): string {
  const reason = stringAt(pod, 'status', 'reason')
  const isGated = listAt(pod, 'status', 'conditions').some(
    (condition) =>
      stringAt(condition, 'type') === 'PodScheduled' && stringAt(condition, 'reason') === 'SchedulingGated',
  )
  let text = isGated ? 'SchedulingGated' : reason || stringAt(pod, 'status', 'phase')
  let hasRunning = false
  for (const status of containerStatuses(pod).toReversed()) {
    const waiting = stringAt(status, 'state', 'waiting', 'reason')
    const terminated = objectAt(status, 'state', 'terminated')
    if (waiting !== '') text = waiting
    else if (Object.keys(terminated).length > 0)
      text = stringAt(terminated, 'reason') || `ExitCode:${numberAt(terminated, 'exitCode') ?? 0}`
    else if (own(status, 'ready') === true) hasRunning = true
  }
  if (text === 'Completed' && hasRunning) text = 'Running'
  if (pod.metadata.deletionTimestamp === undefined) return text
  return reason === 'NodeLost' ? 'Unknown' : 'Terminating'
}

function restartsText(pod: ApiObject, nowMs: number): string {
  let count = 0
  let last = ''
  for (const status of containerStatuses(pod)) {
    count += numberAt(status, 'restartCount') ?? 0
    const finished = stringAt(status, 'lastState', 'terminated', 'finishedAt')
    if (finished > last) last = finished
  }
  return count === 0 || last === '' ? String(count) : `${count} (${ageOf(last, nowMs)} ago)`
}

function readinessGatesText(pod: ApiObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates')
  if (gates.length === 0) return '<none>'
  const isTrue = (type: string): boolean =>
    listAt(pod, 'status', 'conditions').some(
      (each) => stringAt(each, 'type') === type && stringAt(each, 'status') === 'True',
    )
  return `${gates.filter((gate) => isTrue(stringAt(gate, 'conditionType'))).length}/${gates.length}`
}
