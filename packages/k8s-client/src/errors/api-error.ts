import { BerthError, type Status } from '@berth/types'

/** One cause in the `Status` object of an error response. */
export interface ApiErrorCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** The operation that failed, for messages: `list`, `pods`, `team-a/web-0`. */
export interface CallSubject {
  readonly verb: string
  /** Plural with subresource, for example `pods/binding`. */
  readonly resource: string
  /** API group; empty for the core group. */
  readonly group?: string
  readonly object?: string
}

/** The API server answered with an error status. */
export class ApiError extends BerthError {
  /** HTTP status. */
  readonly status: number
  /** Machine-readable reason of the `Status` object (`NotFound`, `Conflict`, …); empty if there was none. */
  readonly reason: string
  /** The message of the `Status` object, unchanged. */
  readonly serverMessage: string
  readonly causes: readonly ApiErrorCause[]
  readonly retryAfterMs: number | undefined

  constructor(subject: CallSubject, httpStatus: number, status: Status, retryAfterMs?: number) {
    const target = subject.object === undefined ? subject.resource : `${subject.resource} ${subject.object}`
    const said = status.message ?? status.reason ?? `HTTP ${httpStatus}`
    const hint = hintFor(subject, httpStatus)
    super(`${subject.verb} ${target}: ${said} (${httpStatus})`, {
      code: codeFor(httpStatus, status.reason),
      retryable: httpStatus === 429 || httpStatus >= 500,
      ...(hint === undefined ? {} : { hint }),
    })
    this.status = httpStatus
    this.reason = status.reason ?? ''
    this.serverMessage = said
    this.causes = status.details?.causes ?? []
    const seconds = status.details?.retryAfterSeconds
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000)
  }
}

function codeFor(status: number, reason: string | undefined): string {
  if (reason === 'AlreadyExists') return 'BERTH_API_ALREADY_EXISTS'
  switch (status) {
    case 400:
    case 422:
      return 'BERTH_API_INVALID'
    case 401:
      return 'BERTH_API_UNAUTHORIZED'
    case 403:
      return 'BERTH_API_FORBIDDEN'
    case 404:
      return 'BERTH_API_NOT_FOUND'
    case 409:
      return 'BERTH_API_CONFLICT'
    case 410:
      return 'BERTH_API_EXPIRED'
    case 429:
      return 'BERTH_API_THROTTLED'
    default:
      return status >= 500 ? 'BERTH_API_UNAVAILABLE' : 'BERTH_API_UNEXPECTED'
  }
}

function hintFor(subject: CallSubject, status: number): string | undefined {
  if (status === 401) return 'The credentials were refused: renew the token or the client certificate.'
  if (status !== 403) return undefined
  const group = subject.group === undefined || subject.group === '' ? '""' : subject.group
  return `Grant the verb "${subject.verb}" on the resource "${subject.resource}" (API group ${group}) to this identity.`
}

/** Returns whether `error` is an {@link ApiError} with this HTTP status. */
export function isApiStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status
}
