import type { ApiObject } from '../schema/json/api-object.ts'
import { equalJson, own, stringAt } from '../schema/json/json-object.ts'
import { forbidden, notFound } from '../schema/status/api-errors.ts'
import type { ResourceRequest } from '../resources/context/resource-request.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { authorize, boundRole, grantedRules } from './authorize.ts'
import { MASTERS } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import { formatRule, rulesOf, uncoveredRules, type PolicyRule } from './policy-rules.ts'

const GROUP = 'rbac.authorization.k8s.io'

/**
 * Throws a 403 if a role or binding would grant more than its author has, unless the author may `escalate` or `bind`.
 *
 * @see kubernetes pkg/registry/rbac/{role,rolebinding}/policybased (v1.36)
 * @throws BERTH_SIMULATOR_REFUSED (403)
 */
export function requireNoEscalation(
  context: ServerContext,
  request: ResourceRequest,
  object: ApiObject,
  old: ApiObject | undefined,
): void {
  const { kind, user } = request
  if (!context.hasRbac || kind.group !== GROUP || user === undefined || user.groups.includes(MASTERS)) return
  const isBinding = kind.plural.endsWith('bindings')
  const field = isBinding ? 'roleRef' : 'rules'
  if (old !== undefined && equalJson(own(object, field), own(old, field)) && !isBinding) return
  const allowed = isBinding ? isBindAllowed(context, user, object) : isEscalateAllowed(context, user, request)
  if (allowed) return
  const role = isBinding ? boundRole(context, object) : object
  // As upstream, which names the binding's resource here.
  if (role === undefined) throw notFound(kind, stringAt(object, 'roleRef', 'name'))
  requireCovered(context, { request, user, name: object.metadata.name ?? '' }, rulesOf(role))
}

function isBindAllowed(context: ServerContext, user: UserInfo, binding: ApiObject): boolean {
  const { namespace = '' } = binding.metadata
  const resource = stringAt(binding, 'roleRef', 'kind') === 'Role' ? 'roles' : 'clusterroles'
  const name = stringAt(binding, 'roleRef', 'name')
  return authorize(context, user, {
    verb: 'bind',
    path: '',
    resource: { group: GROUP, version: '*', resource, subresource: '', namespace, name },
  }).allowed
}

function isEscalateAllowed(
  context: ServerContext,
  user: UserInfo,
  { kind, namespace, name }: ResourceRequest,
): boolean {
  return authorize(context, user, {
    verb: 'escalate',
    path: '',
    resource: { group: GROUP, version: 'v1', resource: kind.plural, subresource: '', namespace, name },
  }).allowed
}

function requireCovered(
  context: ServerContext,
  author: { readonly request: ResourceRequest; readonly user: UserInfo; readonly name: string },
  wanted: readonly PolicyRule[],
): void {
  const { request, user, name } = author
  const { rules } = grantedRules(context, user, request.namespace)
  const missing = uncoveredRules(
    rules.map(({ rule }) => rule),
    wanted,
  )
  if (missing.length === 0) return
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ')
  const lines = missing.map(formatRule).toSorted()
  const why = `user ${JSON.stringify(user.username)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`
  throw forbidden(request.kind, name, why)
}
