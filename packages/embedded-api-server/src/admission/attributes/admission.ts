import { CONTROL_PLANE } from '../../auth/identity.ts'
import type { UserInfo } from '../../resources/context/user-info.ts'
import type { ApiObject } from '../../schema/json/api-object.ts'
import { fromStorage } from '../../resources/kinds/storage-form.ts'
import { isDryRun, type ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'

/** A change to one object that is to be admitted. */
export interface Admission {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** The new object. Absent for a deletion. */
  readonly object?: ApiObject
  /** The stored object. Absent for a creation. */
  readonly old?: ApiObject
}

/** The options of a write, without those of deletions. */
export interface WriteOptions {
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly kind: string
  readonly dryRun?: readonly string[]
  /** As the request names it; absent if the API server derives it from the user agent. */
  readonly fieldManager?: string
}

const OPTIONS_KINDS: ReadonlyMap<string, string> = new Map([
  ['DELETE', 'DeleteOptions'],
  ['PATCH', 'PatchOptions'],
  ['POST', 'CreateOptions'],
  ['PUT', 'UpdateOptions'],
])

/** A request as policies and webhooks see it (upstream's AdmissionRequest). */
export interface AdmissionRequest {
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string }
  readonly subResource?: string
  readonly name: string
  readonly namespace?: string
  readonly operation: Admission['operation']
  readonly userInfo: UserInfo
  readonly dryRun: boolean
  readonly options: WriteOptions
  readonly object: ApiObject | null
  readonly oldObject: ApiObject | null
}

/** Returns the new object, or the old one for a deletion. */
export function currentOrOld({ object, old }: Admission): ApiObject | undefined {
  return object ?? old
}

/** Creates an {@link AdmissionRequest}. Its objects are in the version of the request. */
export function createAdmissionRequest(request: ResourceRequest, admission: Admission): AdmissionRequest {
  const { kind, namespace, subresource } = request
  const { group, version, plural } = kind
  const shown = (object: ApiObject | undefined): ApiObject | null =>
    object === undefined ? null : fromStorage(kind, object)
  return {
    kind: { group, version, kind: kind.kind },
    resource: { group, version, resource: plural },
    ...(subresource === '' ? {} : { subResource: subresource }),
    name: currentOrOld(admission)?.metadata.name ?? request.name,
    ...(kind.namespaced ? { namespace } : {}),
    operation: admission.operation,
    userInfo: request.user ?? CONTROL_PLANE,
    dryRun: isDryRun(request),
    options: optionsOf(request),
    object: shown(admission.object),
    oldObject: shown(admission.old),
  }
}

function optionsOf(request: ResourceRequest): WriteOptions {
  const fieldManager = request.query.get('fieldManager') ?? ''
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: OPTIONS_KINDS.get(request.http.method) ?? 'UpdateOptions',
    ...(isDryRun(request) && { dryRun: ['All'] }),
    ...(fieldManager !== '' && { fieldManager }),
  }
}

/** Returns the Namespace of a request; undefined for cluster-scoped kinds, including namespaces themselves. */
export function namespaceOf({ store }: ServerContext, { kind, namespace }: ResourceRequest): ApiObject | undefined {
  return kind.namespaced ? store.collection('/namespaces').get(namespace) : undefined
}
