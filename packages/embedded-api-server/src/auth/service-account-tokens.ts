import { createHmac, timingSafeEqual } from 'node:crypto'
import { storageKey } from '../schema/json/api-object.ts'
import { isObject, listAt, numberAt, own, stringAt, valueAt, type JsonObject } from '../schema/json/json-object.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { createUid } from '../store/generated-metadata.ts'
import { serviceAccountIdentity } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'

/** Who issues tokens, and who they are for where nothing is asked. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** What a token is to say. */
export interface TokenClaims {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  readonly expiresAtS: number
  /** The object without which the token does not hold: a pod with its node, a node, or a secret. */
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string }
  readonly node?: { readonly name: string; readonly uid: string }
}

const HEADER = base64(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))
const STORAGE: ReadonlyMap<string, string> = new Map([
  ['Pod', '/pods'],
  ['Node', '/nodes'],
  ['Secret', '/secrets'],
])

/** A signed token (JWT) for a service account. */
export function mintToken(context: ServerContext, claims: TokenClaims): string {
  const { namespace, name, uid, bound, node } = claims
  const nowS = Math.floor(context.clock.now() / 1000)
  const payload = {
    aud: claims.audiences,
    exp: claims.expiresAtS,
    iat: nowS,
    iss: ISSUER,
    jti: createUid(context.random),
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
      serviceaccount: { name, uid },
    },
    nbf: nowS,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
  const text = `${HEADER}.${base64(JSON.stringify(payload))}`
  return `${text}.${signature(context, text)}`
}

/**
 * Who a token stands for; undefined where it is none of this server's, is not valid now, is for somebody else, or the
 * account or the object that it is bound to is gone.
 */
export function readToken(context: ServerContext, token: string, audience: string = ISSUER): UserInfo | undefined {
  const [header = '', payload = '', given = '', ...rest] = token.split('.')
  if (rest.length > 0 || !isEqual(given, signature(context, `${header}.${payload}`))) return undefined
  const claims = parse(payload)
  const nowS = context.clock.now() / 1000
  if (claims === undefined || (numberAt(claims, 'exp') ?? 0) <= nowS || (numberAt(claims, 'nbf') ?? 0) > nowS) {
    return undefined
  }
  if (!listAt(claims, 'aud').includes(audience)) return undefined
  const own_ = valueAt(claims, 'kubernetes.io')
  const namespace = stringAt(own_, 'namespace')
  const name = stringAt(own_, 'serviceaccount', 'name')
  const account = context.store.collection('/serviceaccounts').get(storageKey(namespace, name))
  if (account === undefined || account.metadata.uid !== stringAt(own_, 'serviceaccount', 'uid')) return undefined
  for (const [kind, storage] of STORAGE) {
    const bound = own(own_, kind.toLowerCase())
    // A node beside a pod only says where the pod is.
    if (bound === undefined || (kind === 'Node' && own(own_, 'pod') !== undefined)) continue
    const key = storageKey(kind === 'Node' ? '' : namespace, stringAt(bound, 'name'))
    if (context.store.collection(storage).get(key)?.metadata.uid !== stringAt(bound, 'uid')) return undefined
  }
  const extra = extraOf(claims, own_)
  return { ...serviceAccountIdentity(namespace, name, account.metadata.uid ?? ''), extra }
}

function extraOf(claims: JsonObject, own_: unknown): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${stringAt(claims, 'jti')}`],
  }
  for (const kind of ['node', 'pod']) {
    const bound = own(own_, kind)
    if (bound === undefined) continue
    extra[`authentication.kubernetes.io/${kind}-name`] = [stringAt(bound, 'name')]
    extra[`authentication.kubernetes.io/${kind}-uid`] = [stringAt(bound, 'uid')]
  }
  return extra
}

function signature({ tokenKey }: ServerContext, text: string): string {
  return createHmac('sha256', tokenKey).update(text).digest('base64url')
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function parse(payload: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}
