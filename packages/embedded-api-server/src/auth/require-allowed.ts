import { forbiddenRequest } from '../schema/status/api-errors.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { authorize } from './authorize.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import type { RequestAttributes } from './request-attributes.ts'

/**
 * Throws upstream's 403 unless the user may make the request.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go (v0.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireAllowed(context: ServerContext, user: UserInfo, attributes: RequestAttributes): void {
  const { allowed, reason } = authorize(context, user, attributes)
  if (allowed) return
  const { verb, path, resource } = attributes
  const denial = `User ${JSON.stringify(user.username)} cannot ${verb}`
  const reasonSuffix = reason === '' ? '' : `: ${reason}`
  if (resource === undefined)
    throw forbiddenRequest(undefined, '', `${denial} path ${JSON.stringify(path)}${reasonSuffix}`)
  const { group, subresource, namespace, name } = resource
  const resourceName = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  const message = `${denial} resource ${JSON.stringify(resourceName)} in API group ${JSON.stringify(group)} ${scope}${reasonSuffix}`
  throw forbiddenRequest({ group, plural: resource.resource, kind: '' }, name, message)
}

/**
 * Throws a 403 unless the user may also `create` the object. Used by updates and applies that create a missing object.
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
