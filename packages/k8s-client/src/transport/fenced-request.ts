import type { ApiRequest } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'

/** A request with a fence: `mayStart` is called right before sending, and may still withhold the request. */
export interface FencedRequest extends ApiRequest {
  readonly mayStart?: () => boolean
}

/** Returns whether the request may no longer be sent. */
export function isWithheld({ mayStart }: FencedRequest): boolean {
  return mayStart?.() === false
}

/** Creates the error for a request that was withheld. */
export function withheldError({ method, path }: FencedRequest): TransportError {
  const what = `${method} ${path.split('?', 1)[0] ?? ''}`
  return new TransportError(`${what}: not sent: this process may no longer write`, {
    code: 'BERTH_API_WITHHELD',
    retryable: false,
    delivered: 'no',
    hint: 'No action is needed: the process that now holds the lease does the work.',
  })
}
