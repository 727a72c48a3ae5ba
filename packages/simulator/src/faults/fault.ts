import type { ApiRequest } from '@berth/types'

/**
 * A fault between a client and its API server. With `afterEffect` the server processes the request first, and only its
 * response is affected; otherwise the request does not reach the server.
 */
export type Fault =
  /** The connection breaks before a response. */
  | { readonly kind: 'drop'; readonly afterEffect?: boolean }
  /** The request arrives late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection stays open without a response. */
  | { readonly kind: 'half-open'; readonly afterEffect?: boolean }
  /** The response is an error Status. */
  | {
      readonly kind: 'refuse'
      readonly status: 409 | 410 | 429 | 500 | 503 | 504
      readonly retryAfterSeconds?: number
      readonly afterEffect?: boolean
    }
  /** The response body arrives in pieces of `bytes`, with a pause of `everyMs` before each. */
  | { readonly kind: 'slow-body'; readonly bytes: number; readonly everyMs: number }
  /** The connection breaks after `afterBytes` of the response body. */
  | { readonly kind: 'cut-body'; readonly afterBytes: number }
  /** A write is processed twice, as by a proxy that retries. In a watch, every event arrives twice. */
  | { readonly kind: 'duplicate' }
  /** Watch events of different objects swap places. Other requests wait until the next one is answered. */
  | { readonly kind: 'reorder' }
  /** A watch stays open, but its events never arrive. */
  | { readonly kind: 'silence' }

/** A fault, and the requests that it applies to. */
export interface FaultRule {
  /** Name under which the faults are counted. */
  readonly name: string
  readonly fault: Fault
  /** Returns whether the fault may apply to a request. Default: all requests. */
  readonly matches?: (request: ApiRequest) => boolean
  /** Probability per request. Default: 1. */
  readonly chance?: number
  /** Maximum number of injections. Default: unlimited. */
  readonly times?: number
}

/** Returns whether a request opens a watch. */
export function isWatchRequest({ path }: ApiRequest): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/u.test(path)
}
