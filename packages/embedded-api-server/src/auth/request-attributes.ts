import type { ApiRequest } from '@berth/types'
import { requiredValue } from '../resources/selectors/field-selector.ts'
import { pathSegment } from '../schema/name-rules.ts'
import type { ResourcePath } from '../resources/context/resource-request.ts'

/** The action of a request, for authorization and auditing (upstream's RequestInfo). */
export interface RequestAttributes {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; the method for other paths. */
  readonly verb: string
  readonly path: string
  /** Absent for paths that do not name a resource, such as `/version`. */
  readonly resource?: ResourceAttributes
}

/** The resource that a request names. */
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

/**
 * Returns the attributes of a request.
 *
 * @see k8s.io/apiserver pkg/endpoints/request/requestinfo.go (v0.36)
 */
export function attributesOf(http: ApiRequest, url: URL, path: ResourcePath | undefined): RequestAttributes {
  if (path === undefined) return { verb: http.method.toLowerCase(), path: url.pathname }
  const { group, version, plural, name, subresource } = path
  const verb = name === '' ? collectionVerb(http.method, url.searchParams) : VERBS[http.method]
  // A list with a `metadata.name` selector is authorized for that name alone, so that rules with names allow it.
  const selected =
    verb === 'list' || verb === 'watch'
      ? requiredValue(url.searchParams.get('fieldSelector') ?? '', 'metadata.name')
      : ''
  // As upstream, a Namespace object counts as being in the namespace that it names.
  const namespace = group === '' && plural === 'namespaces' ? name : path.namespace
  const resource = {
    group,
    version,
    resource: plural,
    subresource,
    namespace,
    name: name || nameFromSelector(selected),
  }
  return { verb, path: url.pathname, resource }
}

function collectionVerb(method: ApiRequest['method'], query: URLSearchParams): string {
  if (method === 'DELETE') return 'deletecollection'
  if (method !== 'GET') return VERBS[method]
  return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'list'
}

function nameFromSelector(selected: string): string {
  return pathSegment(selected).length === 0 ? selected : ''
}
