import { ApiRefusal } from '@berth/embedded-api-server'

const REFUSALS = {
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'too old resource version: 1 (2)'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: injected'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
} as const

/** A failure as an API server words it, although nothing was wrong with the request. */
export function faultRefusal(code: keyof typeof REFUSALS, retryAfterSeconds?: number): ApiRefusal {
  const [reason, message] = REFUSALS[code]
  return new ApiRefusal({
    code,
    reason,
    message,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  })
}
