import { createHash } from 'node:crypto'
import type { AccessRefusal, AccessRequest } from '@berth/process/health'
import { errorText } from '@berth/text/error-text'
import type { ApiClient, ResourceRef } from '@berth/k8s-client'
import type { Clock, KubernetesObject, Logger } from '@berth/types'

/** The API servers that decide about callers, and what the decision depends on. */
export interface DelegatedAccessOptions {
  /** Receives TokenReviews. */
  readonly authentication: Pick<ApiClient, 'create'>
  /** Receives SubjectAccessReviews. */
  readonly authorization: Pick<ApiClient, 'create'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

interface User {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

type TokenReview = KubernetesObject & {
  readonly spec: { readonly token: string }
  readonly status?: { readonly authenticated?: boolean; readonly user?: User }
}

type SubjectAccessReview = KubernetesObject & {
  readonly spec: object
  readonly status?: { readonly allowed?: boolean; readonly reason?: string }
}

const review = (group: string, plural: string, kind: string): ResourceRef => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced: false,
})
const tokenReviews = review('authentication.k8s.io', 'tokenreviews', 'TokenReview')
const subjectAccessReviews = review('authorization.k8s.io', 'subjectaccessreviews', 'SubjectAccessReview')

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
/** How long an answer is valid, as in kube-scheduler. */
const ANSWER_MS = 10_000
const MAX_ANSWERS = 1_000

/**
 * Returns a function that lets the API server decide about requests: a TokenReview names the caller, and a
 * SubjectAccessReview for `get` on the path decides. A request without a token is made by `system:anonymous`. Answers are
 * cached for ten seconds.
 *
 * @see k8s.io/apiserver pkg/authentication/authenticatorfactory and pkg/authorization/authorizerfactory (v0.36)
 */
export function createDelegatedAccess({
  authentication,
  authorization,
  clock,
  log,
}: DelegatedAccessOptions): (request: AccessRequest) => Promise<AccessRefusal | undefined> {
  const answers = new Map<string, { readonly untilMs: number; readonly refusal: AccessRefusal | undefined }>()

  const decide = async (path: string, token: string | undefined): Promise<AccessRefusal | undefined> => {
    let user: User | undefined = ANONYMOUS
    if (token !== undefined) {
      const { status } = await authentication.create<TokenReview>(tokenReviews, { metadata: {}, spec: { token } })
      user = status?.authenticated === true ? status.user : undefined
    }
    if (user === undefined) return { status: 401, reason: 'Unauthorized' }
    const { username, ...caller } = user
    const spec = { user: username, ...caller, nonResourceAttributes: { path, verb: 'get' } }
    const { status } = await authorization.create<SubjectAccessReview>(subjectAccessReviews, { metadata: {}, spec })
    if (status?.allowed === true) return undefined
    return { status: 403, reason: `User "${username ?? ''}" cannot get path "${path}": grant the verb "get" on it` }
  }

  return async ({ path, token }) => {
    const key = createHash('sha256')
      .update(`${path}\n${token ?? ''}`)
      .digest('base64')
    const nowMs = clock.monotonic()
    const known = answers.get(key)
    if (known !== undefined && known.untilMs > nowMs) return known.refusal
    try {
      const refusal = await decide(path, token)
      if (answers.size >= MAX_ANSWERS) answers.clear()
      answers.set(key, { untilMs: nowMs + ANSWER_MS, refusal })
      return refusal
    } catch (error) {
      log.warn({ err: errorText(error), path }, 'Could not ask the API server about a request')
      return { status: 500, reason: 'the API server did not decide whether this request is allowed' }
    }
  }
}
