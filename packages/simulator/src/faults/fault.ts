import type { ApiRequest } from '@berth/types'

/** Something that goes wrong between a client and its API server. */
export type Fault =
  /** The connection breaks; with `afterEffect` the request was carried out before. */
  | { readonly kind: 'drop'; readonly afterEffect?: boolean }
  /** The request arrives late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection stays open and nothing ever comes; with `afterEffect` the request was carried out. */
  | { readonly kind: 'half-open'; readonly afterEffect?: boolean }
  /** A failure Status instead of the answer; with `afterEffect` the request was carried out. */
  | {
      readonly kind: 'refuse'
      readonly status: 409 | 410 | 429 | 500 | 503 | 504
      readonly retryAfterSeconds?: number
      readonly afterEffect?: boolean
    }
  /** The body comes a piece at a time. */
  | { readonly kind: 'slow-body'; readonly bytes: number; readonly everyMs: number }
  /** The connection breaks after so many bytes of the body. */
  | { readonly kind: 'cut-body'; readonly afterBytes: number }
  /** A request that writes is carried out twice, as by a proxy that tries again; of a watch, every event comes twice. */
  | { readonly kind: 'duplicate' }
  /** Events of a watch about different objects overtake each other, a frame at a time; other requests are held back until the next one has passed. */
  | { readonly kind: 'reorder' }
  /** A watch that was opened says nothing from now on, and stays open. */
  | { readonly kind: 'silence' }

/** When a fault happens. */
export interface FaultRule {
  /** What it is counted as. */
  readonly name: string
  readonly fault: Fault
  /** Which requests it may meet; default: all. */
  readonly matches?: (request: ApiRequest) => boolean
  /** Probability for each of them; default: 1. */
  readonly chance?: number
  /** It happens so often and no more; default: without end. */
  readonly times?: number
}

/** Whether a request opens a watch. */
export function isWatchRequest({ path }: ApiRequest): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/u.test(path)
}
