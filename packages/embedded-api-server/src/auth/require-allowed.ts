import { forbiddenRequest } from '../schema/status/api-errors.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { authorize } from './authorize.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import type { RequestAttributes } from './request-attributes.ts'

/**
 * Refuses what a user may not do, in upstream's words.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireAllowed(context: ServerContext, user: UserInfo, attributes: RequestAttributes): void {
  const { allowed, reason } = authorize(context, user, attributes)
  if (allowed) return
  const { verb, path, resource } = attributes
  const who = `User ${JSON.stringify(user.username)} cannot ${verb}`
  const because = reason === '' ? '' : `: ${reason}`
  if (resource === undefined) throw forbiddenRequest(undefined, '', `${who} path ${JSON.stringify(path)}${because}`)
  const { group, subresource, namespace, name } = resource
  const what = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const why = `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${because}`
  throw forbiddenRequest({ group, plural: resource.resource, kind: '' }, name, why)
}

/**
 * Refuses who may write an object but not make one, where the write would make it.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/create.go withAuthorization (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireMayCreate(context: ServerContext, request: ResourceRequest): void {
  const { kind, namespace, name, user, http } = request
  if (user === undefined) return
  const resource = { group: kind.group, version: kind.version, resource: kind.plural, subresource: '', namespace, name }
  requireAllowed(context, user, { verb: 'create', path: http.path, resource })
}
