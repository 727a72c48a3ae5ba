import type { ApiObject } from '../../schema/json/api-object.ts'
import { withField } from '../../schema/json/json-object.ts'
import type { ResourceKind } from './resource-kind.ts'

// Field names in events.k8s.io/v1 and in core/v1, where they differ.
const EVENT_FIELD_NAMES = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const

/**
 * Returns the form of an object in which it is stored: core/v1 for events of both groups, the storage version for custom
 * resources.
 */
export function toStorage(kind: ResourceKind, object: ApiObject): ApiObject {
  if (kind.custom !== undefined) {
    const { storageApiVersion } = kind.custom
    return object.apiVersion === storageApiVersion ? object : { ...object, apiVersion: storageApiVersion }
  }
  if (kind.group !== 'events.k8s.io') return object
  return { ...renameFields(object, 0, 1), apiVersion: 'v1' }
}

/** Returns whether the kind serves objects in the form in which they are stored. */
export function isServedAsStored(kind: ResourceKind): boolean {
  return kind.group !== 'events.k8s.io' && kind.custom === undefined
}

/** Returns the form of a stored object in which `kind` serves it. */
export function fromStorage(kind: ResourceKind, object: ApiObject): ApiObject {
  if (kind.custom !== undefined) return kind.custom.toServedVersion(object)
  if (kind.group !== 'events.k8s.io') return object
  return { ...renameFields(object, 1, 0), apiVersion: 'events.k8s.io/v1' }
}

function renameFields(object: ApiObject, from: 0 | 1, to: 0 | 1): ApiObject {
  let result = object
  for (const names of EVENT_FIELD_NAMES) {
    const value = object[names[from]]
    if (value !== undefined) result = withField(withField(result, names[from], undefined), names[to], value)
  }
  return result
}
