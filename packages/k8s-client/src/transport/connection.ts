import type { IncomingHttpHeaders } from 'node:http'
import type { ApiResponse } from '@berth/types'
import type { FencedRequest } from './fenced-request.ts'

/** A kept connection, or a pool of them, that carries exchanges. */
export interface Connection {
  /** Whether new exchanges may still be started on it. */
  isUsable(): boolean
  exchange(request: FencedRequest): Promise<ApiResponse>
  /** Lets running exchanges end; no new ones. */
  retire(): void
  /** Breaks running exchanges. */
  destroy(): void
}

/** Turns any header value into the one-line form of `ApiResponse`. */
export function flatHeaders(
  headers: Readonly<Record<string, IncomingHttpHeaders[string] | number>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':'))
      flat[name] = Array.isArray(value) ? value.join(', ') : String(value)
  return flat
}
