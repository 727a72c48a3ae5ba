import type { ApiRequest } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'

/** A request that may be sent only while somebody allows it, asked at the last moment. */
export interface FencedRequest extends ApiRequest {
  readonly mayStart?: () => boolean
}

/** Whether the request must not be sent any more. */
export function isWithheld({ mayStart }: FencedRequest): boolean {
  return mayStart?.() === false
}

/** The error of a request that was not sent. */
export function withheldFailure({ method, path }: FencedRequest): TransportError {
  const what = `${method} ${path.split('?', 1)[0] ?? ''}`
  return new TransportError(`${what}: not sent: this process may not write any more`, {
    code: 'BERTH_API_WITHHELD',
    retryable: false,
    delivered: 'no',
    hint: 'Nothing; the process that holds the lease now does the work.',
  })
}
