import { createHash } from 'node:crypto'
import type { AccessRefusal, AccessRequest } from '@berth/process/health'
import { errorText } from '@berth/text/error-text'
import type { ClientAuthorities } from './client-authorities.ts'
import { type User, userOfCertificate } from './user-of-certificate.ts'
import { createCallerBudgets } from './caller-budget.ts'
import type { ApiClient, ResourceRef } from '@berth/k8s-client'
import type { Clock, KubernetesObject, Logger } from '@berth/types'

/** The API servers that decide about callers, and what the decision depends on. */
export interface DelegatedAccessOptions {
  /** Receives TokenReviews. */
  readonly authentication: Pick<ApiClient, 'create'>
  /** Receives SubjectAccessReviews. */
  readonly authorization: Pick<ApiClient, 'create'>
  /** Returns the authorities of client certificates. */
  readonly authorities: () => ClientAuthorities
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
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
/** How long a decision of the API server is cached, as in kube-scheduler. */
const ANSWER_MS = 10_000
/** How long the failure of a review is cached. */
const FAILURE_MS = 1_000
const MAX_ANSWERS = 1_000
/** Maximum number of reviews in flight: at most four seconds of the rate limit of their client. */
const MAX_REVIEWS = 40
/** Maximum number of these for callers at one address. */
const MAX_REVIEWS_PER_ADDRESS = 10
/** Maximum number of unknown tokens from one address within {@link ANSWER_MS}. */
const MAX_UNKNOWN_TOKENS = 10

/** How long a token that the API server recognized is exempt from the limits for its address. */
const KNOWN_TOKEN_MS = 600_000

/** The latest answers by key, up to {@link MAX_ANSWERS}. */
interface Answers {
  /** Returns the answer while it is valid. */
  get(key: string): { readonly refusal: AccessRefusal | undefined } | undefined
  set(key: string, refusal: AccessRefusal | undefined, validMs: number): void
}

function createAnswers(clock: Pick<Clock, 'monotonic'>): Answers {
  const answers = new Map<string, { readonly untilMs: number; readonly refusal: AccessRefusal | undefined }>()
  return {
    get(key) {
      const known = answers.get(key)
      return known !== undefined && known.untilMs > clock.monotonic() ? known : undefined
    },
    set(key, refusal, validMs) {
      answers.delete(key)
      const [oldest] = answers.keys()
      if (oldest !== undefined && answers.size >= MAX_ANSWERS) answers.delete(oldest)
      answers.set(key, { untilMs: clock.monotonic() + validMs, refusal })
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** A review in flight, which equal requests share. */
interface Review {
  readonly answer: Promise<AccessRefusal | undefined>
  /** Aborted when all callers have left. */
  readonly abandon: AbortController
  callers: number
}

/**
 * Returns a function that lets the API server decide about requests. A client certificate, the headers of a front proxy
 * or a TokenReview identify the caller; without them it is `system:anonymous`. A SubjectAccessReview for `get` on the
 * path decides.
 *
 * Decisions are cached for ten seconds and failures for one. Equal requests share one review. Requests above 40 reviews
 * in flight are refused with 429. So are requests from an address with ten reviews in flight or ten unknown tokens in
 * ten seconds, except those with a token that the API server recognized in the last ten minutes.
 *
 * @see k8s.io/apiserver pkg/authentication/authenticatorfactory and pkg/authorization/authorizerfactory (v0.36)
 */
export function createDelegatedAccess({
  authentication,
  authorization,
  authorities,
  clock,
  log,
}: DelegatedAccessOptions): (request: AccessRequest) => Promise<AccessRefusal | undefined> {
  const answers = createAnswers(clock)
  // Apart from the answers to known callers, which a flood of unknown tokens would displace.
  const refusals = createAnswers(clock)
  const knownTokens = createAnswers(clock)
  const budgets = createCallerBudgets({
    maxInFlight: MAX_REVIEWS_PER_ADDRESS,
    maxRefused: MAX_UNKNOWN_TOKENS,
    windowMs: ANSWER_MS,
    clock,
  })
  const reviews = new Map<string, Review>()

  const decide = async (
    { path, token }: Pick<AccessRequest, 'path' | 'token'>,
    certified: User | undefined,
    signal: AbortSignal,
  ): Promise<AccessRefusal | undefined> => {
    let user: User | undefined = certified ?? ANONYMOUS
    if (certified === undefined && token !== undefined) {
      const object = { metadata: {}, spec: { token } }
      const { status } = await authentication.create<TokenReview>(tokenReviews, object, { signal })
      user = status?.authenticated === true ? status.user : undefined
    }
    if (user === undefined) return { status: 401, reason: 'Unauthorized' }
    // As in kube-scheduler: administrators get in while the API server is down.
    if (user.groups?.includes('system:masters') === true) return undefined
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
    certified: User | undefined,
    signal: AbortSignal,
  ): Promise<AccessRefusal | undefined> => {
    try {
      const refusal = await decide(request, certified, signal)
      if (refusal?.status === 401) {
        refusals.set(key, refusal, ANSWER_MS)
      } else {
        answers.set(key, refusal, ANSWER_MS)
        if (certified === undefined && request.token !== undefined) {
          knownTokens.set(hashOf(request.token), undefined, KNOWN_TOKEN_MS)
        }
      }
      return refusal
    } catch (error) {
      const refusal = { status: 500, reason: 'the API server did not decide whether this request is allowed' } as const
      if (!signal.aborted) {
        log.warn({ err: errorText(error), path: request.path }, 'Could not ask the API server about a request')
        refusals.set(key, refusal, FAILURE_MS)
      }
      return refusal
    }
  }

  const end = (key: string, review: Review): void => {
    if (reviews.get(key) === review) reviews.delete(key)
  }

  const startReview = (key: string, request: AccessRequest, certified: User | undefined): Review => {
    const abandon = new AbortController()
    const endOfBudget = budgets.start(request.address)
    const review = { answer: answer(key, request, certified, abandon.signal), abandon, callers: 0 }
    reviews.set(key, review)
    const finish = async (): Promise<void> => {
      const refusal = await review.answer
      endOfBudget(refusal?.status === 401)
      end(key, review)
    }
    void finish()
    return review
  }

  const mayReview = ({ address, token }: AccessRequest, certified: User | undefined): boolean =>
    reviews.size < MAX_REVIEWS &&
    (certified !== undefined ||
      budgets.mayStart(address) ||
      (token !== undefined && knownTokens.get(hashOf(token)) !== undefined))

  return async (request) => {
    const { path, token, signal } = request
    const certified = userOfCertificate(request, authorities())
    const key = hashOf(JSON.stringify([path, certified ?? token ?? '']))
    const known = answers.get(key) ?? refusals.get(key)
    if (known !== undefined) return known.refusal
    const running = reviews.get(key)
    if (running === undefined && !mayReview(request, certified)) {
      return { status: 429, reason: 'too many requests wait for a decision of the API server: retry later' }
    }
    const review = running ?? startReview(key, request, certified)
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
