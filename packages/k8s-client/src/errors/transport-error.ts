import { BerthError, type BerthErrorOptions } from '@berth/types'

/** What {@link TransportError} adds. */
export interface TransportErrorOptions extends BerthErrorOptions {
  /** `no`: the server cannot have seen the request. `unknown`: it may have acted on it. */
  readonly delivered: 'no' | 'unknown'
}

/** No answer, or an answer that broke off. A write whose `delivered` is `unknown` has to be re-read. */
export class TransportError extends BerthError {
  readonly delivered: 'no' | 'unknown'

  constructor(message: string, options: TransportErrorOptions) {
    super(message, { retryable: true, ...options })
    this.delivered = options.delivered
  }
}

/**
 * The error of a call after the transport was closed, or of one that its caller cancelled.
 *
 * @param delivered - `unknown` for calls that are under way.
 */
export function closedFailure(what: string, delivered: 'no' | 'unknown' = 'no'): TransportError {
  return new TransportError(`${what}: the connection to the API server is closed`, {
    code: 'BERTH_API_CLOSED',
    retryable: false,
    delivered,
  })
}
