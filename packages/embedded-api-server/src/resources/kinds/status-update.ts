import type { ApiObject } from '../../schema/json/api-object.ts'
import { withField } from '../../schema/json/json-object.ts'

/** What a write of the status takes of what was sent: the status and the metadata, as most kinds of Kubernetes have it. */
export function takeStatusAndMetadata(next: ApiObject, old: ApiObject): ApiObject {
  return { ...withField(old, 'status', next['status']), metadata: next.metadata }
}

/** The same of kinds that reset the metadata too (upstream's ResetObjectMetaForStatus): the status alone. */
export function takeStatus(next: ApiObject, old: ApiObject): ApiObject {
  return withField(old, 'status', next['status'])
}
