/**
 * Who goes first when the client's own rate limit holds calls back. Binds are `high`, events `low`. Leases are
 * `exempt`: they wait for nobody, as a leader that is busy must not lose its lease for that.
 */
export type CallPriority = 'exempt' | 'high' | 'normal' | 'low'

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly priority?: CallPriority
  /** Longest wait for one complete answer. Default: 30 s. */
  readonly deadlineMs?: number
  /**
   * Asked each time right before the call is handed to a connection, after every wait: for the rate limit, before a
   * repeat, for the connection. False ends the call with a TransportError `BERTH_API_WITHHELD`. Under an election it
   * is `stillLeader`.
   */
  readonly mayStart?: () => boolean
}
