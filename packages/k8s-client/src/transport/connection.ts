import type { IncomingHttpHeaders } from 'node:http'
import type { ApiResponse } from '@berth/types'
import type { FencedRequest } from './fenced-request.ts'

/** A connection to the API server, or a pool of them, that is kept open between requests. */
export interface Connection {
  /** Returns whether new requests may be sent on it. */
  isUsable(): boolean
  send(request: FencedRequest): Promise<ApiResponse>
  /** Accepts no new requests; those in flight complete. */
  retire(): void
  /** Ends the requests in flight with an error. */
  destroy(): void
}

/** Converts headers to the one-line form of `ApiResponse`. */
export function flattenHeaders(
  headers: Readonly<Record<string, IncomingHttpHeaders[string] | number>>,
): Record<string, string> {
  const flattened: Record<string, string> = {}
  // Object.entries would create an array for each header.
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !name.startsWith(':'))
      flattened[name] = Array.isArray(value) ? value.join(', ') : String(value)
  }
  return flattened
}
