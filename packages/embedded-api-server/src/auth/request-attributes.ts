import type { ApiRequest } from '@berth/types'
import { requiredValue } from '../resources/selectors/field-selector.ts'
import { pathSegment } from '../schema/name-rules.ts'
import type { ResourcePath } from '../resources/context/resource-request.ts'

/** What a request wants to do, as authorizers and the audit see it. */
export interface RequestAttributes {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; of other paths the method. */
  readonly verb: string
  readonly path: string
  /** Absent for paths that are no resources, such as `/version`. */
  readonly resource?: ResourceAttributes
}

/** The resource that a request speaks of. */
export interface ResourceAttributes {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

const VERBS: Readonly<Record<ApiRequest['method'], string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** @see k8s.io/apiserver pkg/endpoints/request/requestinfo.go (v0.36) */
export function attributesOf(http: ApiRequest, url: URL, path: ResourcePath | undefined): RequestAttributes {
  if (path === undefined) return { verb: http.method.toLowerCase(), path: url.pathname }
  const { group, version, plural, name, subresource } = path
  const verb = name === '' ? verbOfMany(http.method, url.searchParams) : VERBS[http.method]
  // Who may list one name alone says so with a selector.
  const selected =
    verb === 'list' || verb === 'watch'
      ? requiredValue(url.searchParams.get('fieldSelector') ?? '', 'metadata.name')
      : ''
  // A namespace lies in itself.
  const namespace = group === '' && plural === 'namespaces' ? name : path.namespace
  const resource = { group, version, resource: plural, subresource, namespace, name: name || namedBy(selected) }
  return { verb, path: url.pathname, resource }
}

function verbOfMany(method: ApiRequest['method'], query: URLSearchParams): string {
  if (method === 'DELETE') return 'deletecollection'
  if (method !== 'GET') return VERBS[method]
  return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'list'
}

function namedBy(selected: string): string {
  return pathSegment(selected).length === 0 ? selected : ''
}
