import type { ApiObject } from '../../schema/json/api-object.ts'
import { withField } from '../../schema/json/json-object.ts'

/** Returns the old object with the new status and metadata: the status update of most kinds. */
export function updateStatusAndMetadata(next: ApiObject, old: ApiObject): ApiObject {
  return { ...withField(old, 'status', next['status']), metadata: next.metadata }
}

/** Returns the old object with the new status only: the status update of kinds that use upstream's ResetObjectMetaForStatus. */
export function updateStatusOnly(next: ApiObject, old: ApiObject): ApiObject {
  return withField(old, 'status', next['status'])
}
