import type { ApiObject } from '../json/api-object.ts'
import { listAt, stringAt } from '../json/json-object.ts'

/** Whether a pod still counts for the workload that owns it. */
export function isActive(pod: ApiObject): boolean {
  const phase = stringAt(pod, 'status', 'phase')
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined
}

/** Whether the pod's Ready condition is True. */
export function isReady(pod: ApiObject): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True',
  )
}

/** Orders pods so that those go first whose loss costs least: unassigned, not running, not ready, then the youngest. */
export function byCostOfLoss(a: ApiObject, b: ApiObject): number {
  return (
    rank(a) - rank(b) || Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? '')
  )
}

function rank(pod: ApiObject): number {
  if (stringAt(pod, 'spec', 'nodeName') === '') return 0
  if (stringAt(pod, 'status', 'phase') !== 'Running') return 1
  return isReady(pod) ? 3 : 2
}
