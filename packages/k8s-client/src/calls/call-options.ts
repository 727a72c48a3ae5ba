/**
 * Order in which waiting calls pass the client's rate limit. Binds are `high`. Evictions are
 * `urgent`, so that they do not wait for the binds of pods of lower priority. Leases are `exempt` from the limit,
 * because a busy leader must not lose its lease. Events have a rate limit of their own.
 */
export type CallPriority = 'exempt' | 'urgent' | 'high' | 'normal' | 'low'

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly priority?: CallPriority
  /** Time limit of each attempt, from sending to the complete response. Default: 30 s. */
  readonly deadlineMs?: number
  /**
   * Called right before each attempt is sent, after it has waited for the rate limit, the backoff and the connection.
   * If it returns false, the call ends with a TransportError `BERTH_API_WITHHELD`. Under leader election, pass
   * `stillLeader`.
   */
  readonly mayStart?: () => boolean
  /**
   * False if a 429 is not retried. Default: true. Evictions pass false, because a disruption budget answers with 429;
   * so does the event recorder, which retries by itself.
   */
  readonly retriesThrottled?: boolean
}
