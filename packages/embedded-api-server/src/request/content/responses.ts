import type { ApiResponse } from '@berth/types'
import type { StatusError } from '../../schema/status/status-error.ts'

const encoder = new TextEncoder()

/** Returns a response with one piece of text. */
export function textResponse(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return bytesResponse(status, contentType, encoder.encode(text), headers)
}

/** Returns a response with bytes that are not text. */
export function bytesResponse(
  status: number,
  contentType: string,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength), ...headers },
    body: {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    },
  }
}

/** Returns a response with a JSON value. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return textResponse(status, 'application/json', JSON.stringify(value), headers)
}

/** Returns the response to a refused request. */
export function errorResponse(refusal: StatusError): ApiResponse {
  const seconds = refusal.status.details?.retryAfterSeconds
  return jsonResponse(
    refusal.status.code,
    refusal.status,
    seconds === undefined ? {} : { 'retry-after': String(seconds) },
  )
}

/** Returns the Warning header of a response; none without warnings. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {}
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') }
}
