import type { ApiObject } from '../../schema/json/api-object.ts'
import { listAt, stringAt } from '../../schema/json/json-object.ts'

/** Returns the pod's Ready condition if its status is True. */
export function readyCondition(pod: ApiObject): unknown {
  return listAt(pod, 'status', 'conditions').find(
    (condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True',
  )
}

/** Returns whether the pod's Ready condition is True. */
export function isReady(pod: ApiObject): boolean {
  return readyCondition(pod) !== undefined
}
