import { StatusError } from '@berth/embedded-api-server'

const ERRORS = {
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'too old resource version: 1 (2)'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: injected'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
} as const

/** Returns an injected error with the reason and message that an API server uses for the code. */
export function faultRefusal(code: keyof typeof ERRORS, retryAfterSeconds?: number): StatusError {
  const [reason, message] = ERRORS[code]
  return new StatusError({
    code,
    reason,
    message,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  })
}
