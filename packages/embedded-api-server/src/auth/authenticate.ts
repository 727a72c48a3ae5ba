import type { ApiRequest } from '@berth/types'
import { unauthorized } from '../schema/status/api-errors.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { authorize } from './authorize.ts'
import type { RequestAttributes } from './request-attributes.ts'
import { requireAllowed } from './require-allowed.ts'
import { ADMIN, withAuthenticatedGroup, serviceAccountIdentity } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import { verifyToken } from './service-account-tokens.ts'

/** The user that a request acts as. `impersonator` is the authenticated user if the request impersonates another. */
export interface Caller {
  readonly user: UserInfo
  readonly impersonator?: UserInfo
}

/**
 * Returns the user of a request: the service account of its bearer token, or the user in its `Impersonate-` headers.
 * A request without a token is the admin's: it comes from this process, or the HTTPS server has checked the admin's
 * token.
 *
 * @throws BERTH_SIMULATOR_REFUSED (401) if the token is not valid, (403) if the user may not impersonate.
 */
export function authenticate(context: ServerContext, http: ApiRequest, attributes: RequestAttributes): Caller {
  const header = http.headers['authorization']
  const user = header === undefined ? ADMIN : userOfToken(context, header)
  const impersonated = impersonatedUser(http)
  if (impersonated === undefined) return { user }
  const mayImpersonate = impersonationTargets(impersonated).every(({ resource, name, group }) => {
    const [plural = '', subresource = ''] = resource.split('/')
    const target = { group, version: '', resource: plural, subresource, namespace: '', name }
    return authorize(context, user, { verb: 'impersonate', path: '', resource: target }).allowed
  })
  // Upstream's refusal names the narrower permission (constrained impersonation), which it checks last.
  if (!mayImpersonate) {
    requireAllowed(context, user, {
      ...attributes,
      verb: `impersonate-on:${impersonationKind(impersonated)}:${attributes.verb}`,
    })
  }
  return { user: impersonated, impersonator: user }
}

function impersonationKind({ username }: UserInfo): string {
  return username.startsWith('system:serviceaccount:') ? 'serviceaccount' : 'user-info'
}

function userOfToken(context: ServerContext, header: string): UserInfo {
  const token = /^Bearer (\S+)$/i.exec(header)?.[1]
  const user = token === undefined ? undefined : verifyToken(context, token)
  if (user === undefined) throw unauthorized()
  return user
}

function impersonatedUser({ headers }: ApiRequest): UserInfo | undefined {
  const username = headers['impersonate-user'] ?? ''
  if (username === '') return undefined
  const uid = headers['impersonate-uid']
  const groups = (headers['impersonate-group'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
  const extra = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('impersonate-extra-')
      ? [[decodeExtraKey(name.slice('impersonate-extra-'.length)), value.split(', ')] as const]
      : [],
  )
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  const accountGroups =
    namespace === undefined || name === undefined ? [] : serviceAccountIdentity(namespace, name, '').groups
  return withAuthenticatedGroup({
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: groups.length > 0 ? groups : accountGroups,
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  })
}

function decodeExtraKey(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface ImpersonationTarget {
  readonly resource: string
  readonly name: string
  readonly group: string
}

function impersonationTargets({ username, uid, groups, extra = {} }: UserInfo): readonly ImpersonationTarget[] {
  const [, , account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  return [
    account === undefined
      ? { resource: 'users', name: username, group: '' }
      : { resource: 'serviceaccounts', name: account, group: '' },
    ...groups
      .filter((name) => name !== 'system:authenticated' && account === undefined)
      .map((name) => ({ resource: 'groups', name, group: '' })),
    ...(uid === undefined ? [] : [{ resource: 'uids', name: uid, group: 'authentication.k8s.io' }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ({ resource: `userextras/${key}`, name, group: 'authentication.k8s.io' })),
    ),
  ]
}
