import type { ApiRequest } from '@berth/types'

/** A fault between a client and its API server. `afterEffect`: the server processes the request before the fault. */
export type Fault =
  /** The connection breaks. */
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
  /** The body arrives in pieces. */
  | { readonly kind: 'slow-body'; readonly bytes: number; readonly everyMs: number }
  /** The connection breaks after a number of bytes of the body. */
  | { readonly kind: 'cut-body'; readonly afterBytes: number }
  /** A write is processed twice, as by a proxy that retries. In a watch, every event arrives twice. */
  | { readonly kind: 'duplicate' }
  /** Watch events of different objects swap places. Other requests wait until the next one is answered. */
  | { readonly kind: 'reorder' }
  /** A watch stays open without sending anything. */
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

/** Whether a request opens a watch. */
export function isWatchRequest({ path }: ApiRequest): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/u.test(path)
}
