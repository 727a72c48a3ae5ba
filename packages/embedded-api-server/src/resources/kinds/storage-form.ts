import type { ApiObject } from '../../schema/json/api-object.ts'
import { withField } from '../../schema/json/json-object.ts'
import type { ResourceKind } from './resource-kind.ts'

// events.k8s.io/v1 name on the left, core/v1 name on the right; everything else is called the same.
const NAMES = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const

/**
 * The object as its storage holds it. Events are stored in the core shape, whichever group wrote them, and custom
 * resources in one of their versions.
 */
export function toStorage(kind: ResourceKind, object: ApiObject): ApiObject {
  if (kind.custom !== undefined) {
    const { storedAs } = kind.custom
    return object.apiVersion === storedAs ? object : { ...object, apiVersion: storedAs }
  }
  if (kind.group !== 'events.k8s.io') return object
  return { ...renamed(object, 0, 1), apiVersion: 'v1' }
}

/** Whether every stored object of the kind is shown as it is stored. */
export function isShownAsStored(kind: ResourceKind): boolean {
  return kind.group !== 'events.k8s.io' && kind.custom === undefined
}

/** The object as `kind` shows it. */
export function fromStorage(kind: ResourceKind, object: ApiObject): ApiObject {
  if (kind.custom !== undefined) return kind.custom.show(object)
  if (kind.group !== 'events.k8s.io') return object
  return { ...renamed(object, 1, 0), apiVersion: 'events.k8s.io/v1' }
}

function renamed(object: ApiObject, from: 0 | 1, to: 0 | 1): ApiObject {
  let result = object
  for (const names of NAMES) {
    const value = object[names[from]]
    if (value !== undefined) result = withField(withField(result, names[from], undefined), names[to], value)
  }
  return result
}
