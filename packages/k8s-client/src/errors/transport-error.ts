import { BerthError, type BerthErrorOptions } from '@berth/types'

/** Options of a {@link TransportError}. */
export interface TransportErrorOptions extends BerthErrorOptions {
  /** `no`: the server cannot have seen the request. `unknown`: it may have acted on it. */
  readonly delivered: 'no' | 'unknown'
}

/** No response, or an incomplete one. After a write whose `delivered` is `unknown`, the object has to be read again. */
export class TransportError extends BerthError {
  readonly delivered: 'no' | 'unknown'

  constructor(message: string, options: TransportErrorOptions) {
    super(message, { retryable: true, ...options })
    this.delivered = options.delivered
  }
}

/**
 * Creates the error for a call after the transport was closed, or for a call that was cancelled.
 *
 * @param delivered - `unknown` for calls in flight.
 */
export function closedError(what: string, delivered: 'no' | 'unknown' = 'no'): TransportError {
  return new TransportError(`${what}: the connection to the API server is closed`, {
    code: 'BERTH_API_CLOSED',
    retryable: false,
    delivered,
  })
}
