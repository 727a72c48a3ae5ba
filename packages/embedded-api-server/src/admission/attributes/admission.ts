import { CONTROL_PLANE } from '../../auth/identity.ts'
import type { UserInfo } from '../../resources/context/user-info.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { fromStorage } from '../../resources/kinds/storage-form.ts'
import { isDryRun, type ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'

/** What is about to happen to an object. */
export interface Admission {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** Absent when it is being deleted. */
  readonly object?: ApiObject
  /** Absent when it is new. */
  readonly old?: ApiObject
}

/** What policies and webhooks are told of a request. */
export interface AdmissionRequest {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  readonly name: string
  readonly namespace?: string
  readonly operation: Admission['operation']
  readonly userInfo: UserInfo
  readonly dryRun: boolean
  readonly object: ApiObject | null
  readonly oldObject: ApiObject | null
}

/** The object that a request is about, whichever state there is. */
export function subjectOf({ object, old }: Admission): ApiObject | undefined {
  return object ?? old
}

/** See {@link AdmissionRequest}; the objects are in the version that was asked for. */
export function admissionRequestOf(request: ResourceRequest, admission: Admission): AdmissionRequest {
  const { kind, namespace, subresource } = request
  const { group, version, plural } = kind
  const shown = (object: ApiObject | undefined): ApiObject | null =>
    object === undefined ? null : fromStorage(kind, object)
  return {
    kind: { group, version, kind: kind.kind },
    resource: { group, version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource }),
    name: subjectOf(admission)?.metadata.name ?? request.name,
    ...(kind.namespaced ? { namespace } : {}),
    operation: admission.operation,
    userInfo: request.user ?? CONTROL_PLANE,
    dryRun: isDryRun(request),
    object: shown(admission.object),
    oldObject: shown(admission.old),
  }
}

/** The namespace that the object lies in; undefined for objects without, and for namespaces themselves. */
export function namespaceObject({ store }: ServerContext, { kind, namespace }: ResourceRequest): ApiObject | undefined {
  return kind.namespaced ? store.collection('/namespaces').get(namespace) : undefined
}
