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
/** Maximum number of reviews in flight: at most four seconds of the rate limit of their client. */
const MAX_REVIEWS = 40

/** A review in flight, which equal requests share. */
interface Review {
  readonly answer: Promise<AccessRefusal | undefined>
  /** Aborted when all callers have left. */
  readonly abandon: AbortController
  callers: number
}

/**
 * Returns a function that lets the API server decide about requests: a TokenReview names the caller, and a
 * SubjectAccessReview for `get` on the path decides. A request without a token is made by `system:anonymous`. Answers are
 * cached for ten seconds, equal requests share one review, and requests above 40 reviews in flight are refused with 429.
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
  const reviews = new Map<string, Review>()

  const decide = async (
    { path, token }: Pick<AccessRequest, 'path' | 'token'>,
    signal: AbortSignal,
  ): Promise<AccessRefusal | undefined> => {
    let user: User | undefined = ANONYMOUS
    if (token !== undefined) {
      const object = { metadata: {}, spec: { token } }
      const { status } = await authentication.create<TokenReview>(tokenReviews, object, { signal })
      user = status?.authenticated === true ? status.user : undefined
    }
    if (user === undefined) return { status: 401, reason: 'Unauthorized' }
    const { username, ...caller } = user
    const spec = { user: username, ...caller, nonResourceAttributes: { path, verb: 'get' } }
    const object = { metadata: {}, spec }
    const { status } = await authorization.create<SubjectAccessReview>(subjectAccessReviews, object, { signal })
    if (status?.allowed === true) return undefined
    return { status: 403, reason: `User "${username ?? ''}" cannot get path "${path}": grant the verb "get" on it` }
  }

  const answer = async (
    key: string,
    request: AccessRequest,
    signal: AbortSignal,
  ): Promise<AccessRefusal | undefined> => {
    try {
      const refusal = await decide(request, signal)
      answers.delete(key)
      const [oldest] = answers.keys()
      if (oldest !== undefined && answers.size >= MAX_ANSWERS) answers.delete(oldest)
      answers.set(key, { untilMs: clock.monotonic() + ANSWER_MS, refusal })
      return refusal
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: errorText(error), path: request.path }, 'Could not ask the API server about a request')
      return { status: 500, reason: 'the API server did not decide whether this request is allowed' }
    }
  }

  const end = (key: string, review: Review): void => {
    if (reviews.get(key) === review) reviews.delete(key)
  }

  const startReview = (key: string, request: AccessRequest): Review => {
    const abandon = new AbortController()
    const review = { answer: answer(key, request, abandon.signal), abandon, callers: 0 }
    reviews.set(key, review)
    void review.answer.then(() => end(key, review))
    return review
  }

  return async (request) => {
    const { path, token, signal } = request
    const key = createHash('sha256')
      .update(`${path}\n${token ?? ''}`)
      .digest('base64')
    const known = answers.get(key)
    if (known !== undefined && known.untilMs > clock.monotonic()) return known.refusal
    const running = reviews.get(key)
    if (running === undefined && reviews.size >= MAX_REVIEWS) {
      return { status: 429, reason: 'too many requests wait for a decision of the API server: retry later' }
    }
    const review = running ?? startReview(key, request)
    const leave = (): void => {
      review.callers--
      if (review.callers > 0) return
      end(key, review)
      review.abandon.abort(signal.reason)
    }
    review.callers++
    signal.addEventListener('abort', leave, { once: true })
    const refusal = await review.answer
    signal.removeEventListener('abort', leave)
    return refusal
  }
}
