import type { ApiRequest } from '@berth/types'
import { unauthorized } from '../schema/status/api-errors.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { authorize } from './authorize.ts'
import type { RequestAttributes } from './request-attributes.ts'
import { requireAllowed } from './require-allowed.ts'
import { ADMIN, authenticated, serviceAccountIdentity } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'
import { readToken } from './service-account-tokens.ts'

/** Who a request is counted as, and who sent it where that is somebody else. */
export interface Caller {
  readonly user: UserInfo
  readonly impersonator?: UserInfo
}

/**
 * Who asks: the account of the bearer token, the admin where there is none (the request comes from within the
 * process, or the HTTPS shell has seen the admin's token); counted as whom the `Impersonate-` headers name.
 *
 * @throws BERTH_SIMULATOR_REFUSED (401) where the token is not known, (403) where the caller may not impersonate.
 */
export function authenticate(context: ServerContext, http: ApiRequest, attributes: RequestAttributes): Caller {
  const header = http.headers['authorization']
  const user = header === undefined ? ADMIN : tokenUser(context, header)
  const asked = impersonated(http)
  if (asked === undefined) return { user }
  const mayBe = rightsToBe(asked).every(({ resource, name, group }) => {
    const [plural = '', subresource = ''] = resource.split('/')
    const target = { group, version: '', resource: plural, subresource, namespace: '', name }
    return authorize(context, user, { verb: 'impersonate', path: '', resource: target }).allowed
  })
  // Refusals speak of the narrower right that is asked for last.
  if (!mayBe) {
    requireAllowed(context, user, { ...attributes, verb: `impersonate-on:${kindOf(asked)}:${attributes.verb}` })
  }
  return { user: asked, impersonator: user }
}

function kindOf({ username }: UserInfo): string {
  return username.startsWith('system:serviceaccount:') ? 'serviceaccount' : 'user-info'
}

function tokenUser(context: ServerContext, header: string): UserInfo {
  const token = /^Bearer (\S+)$/i.exec(header)?.[1]
  const user = token === undefined ? undefined : readToken(context, token)
  if (user === undefined) throw unauthorized()
  return user
}

function impersonated({ headers }: ApiRequest): UserInfo | undefined {
  const username = headers['impersonate-user'] ?? ''
  if (username === '') return undefined
  const uid = headers['impersonate-uid']
  const groups = (headers['impersonate-group'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
  const extra = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('impersonate-extra-')
      ? [[decoded(name.slice('impersonate-extra-'.length)), value.split(', ')] as const]
      : [],
  )
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  const known = namespace === undefined || name === undefined ? [] : serviceAccountIdentity(namespace, name, '').groups
  return authenticated({
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: groups.length > 0 ? groups : known,
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface Right {
  readonly resource: string
  readonly name: string
  readonly group: string
}

function rightsToBe({ username, uid, groups, extra = {} }: UserInfo): readonly Right[] {
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
