import { createHmac, timingSafeEqual } from 'node:crypto'
import { storageKey } from '../schema/json/api-object.ts'
import { isObject, listAt, numberAt, own, stringAt, valueAt, type JsonObject } from '../schema/json/json-object.ts'
import type { ServerContext } from '../resources/context/server-context.ts'
import { createUid } from '../store/generated-metadata.ts'
import { serviceAccountIdentity } from './identity.ts'
import type { UserInfo } from '../resources/context/user-info.ts'

/** The issuer of tokens, and their default audience. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** The claims of a token to create. */
export interface TokenClaims {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  readonly expiresAtS: number
  /** The object whose deletion invalidates the token: a pod (then `node` is set), a node, or a secret. */
  readonly bound?: { readonly kind: string; readonly name: string; readonly uid: string }
  readonly node?: { readonly name: string; readonly uid: string }
}

const HEADER = base64url(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))
const BOUND_OBJECT_STORAGE: ReadonlyMap<string, string> = new Map([
  ['Pod', '/pods'],
  ['Node', '/nodes'],
  ['Secret', '/secrets'],
])

/** Returns a signed token (JWT) for a service account. */
export function createToken(context: ServerContext, claims: TokenClaims): string {
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
  const text = `${HEADER}.${base64url(JSON.stringify(payload))}`
  return `${text}.${signature(context, text)}`
}

/**
 * Returns the user of a token. Undefined if this server did not sign it, it is expired or not yet valid, it has another
 * audience, or its account or bound object no longer exists.
 */
export function verifyToken(context: ServerContext, token: string, audience: string = ISSUER): UserInfo | undefined {
  const [header = '', payload = '', givenSignature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !equalsInConstantTime(givenSignature, signature(context, `${header}.${payload}`)))
    return undefined
  const claims = parsePayload(payload)
  const nowS = context.clock.now() / 1000
  if (claims === undefined || (numberAt(claims, 'exp') ?? 0) <= nowS || (numberAt(claims, 'nbf') ?? 0) > nowS) {
    return undefined
  }
  if (!listAt(claims, 'aud').includes(audience)) return undefined
  const kubernetesClaims = valueAt(claims, 'kubernetes.io')
  const namespace = stringAt(kubernetesClaims, 'namespace')
  const name = stringAt(kubernetesClaims, 'serviceaccount', 'name')
  const account = context.store.collection('/serviceaccounts').get(storageKey(namespace, name))
  if (account === undefined || account.metadata.uid !== stringAt(kubernetesClaims, 'serviceaccount', 'uid'))
    return undefined
  for (const [kind, storage] of BOUND_OBJECT_STORAGE) {
    const bound = own(kubernetesClaims, kind.toLowerCase())
    // Next to a pod, a node only tells where the pod runs: the token is bound to the pod.
    if (bound === undefined || (kind === 'Node' && own(kubernetesClaims, 'pod') !== undefined)) continue
    const key = storageKey(kind === 'Node' ? '' : namespace, stringAt(bound, 'name'))
    if (context.store.collection(storage).get(key)?.metadata.uid !== stringAt(bound, 'uid')) return undefined
  }
  const extra = extraInfo(claims, kubernetesClaims)
  return { ...serviceAccountIdentity(namespace, name, account.metadata.uid ?? ''), extra }
}

function extraInfo(claims: JsonObject, kubernetesClaims: unknown): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${stringAt(claims, 'jti')}`],
  }
  for (const kind of ['node', 'pod']) {
    const bound = own(kubernetesClaims, kind)
    if (bound === undefined) continue
    extra[`authentication.kubernetes.io/${kind}-name`] = [stringAt(bound, 'name')]
    extra[`authentication.kubernetes.io/${kind}-uid`] = [stringAt(bound, 'uid')]
  }
  return extra
}

function signature({ tokenKey }: ServerContext, text: string): string {
  return createHmac('sha256', tokenKey).update(text).digest('base64url')
}

function equalsInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function parsePayload(payload: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
