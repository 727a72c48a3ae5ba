/** One HTTP request to an API server, over any transport. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with query, as on the request line. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Whether the response may be so large that it must not share a connection with latency-sensitive calls. */
  readonly isBulk?: boolean
  /** Aborting it ends the exchange, including a watch. */
  readonly signal?: AbortSignal
}

/** The response to an {@link ApiRequest}. `body` yields chunks as they arrive. The body of a watch ends when the server ends it. */
export interface ApiResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Sends a request and returns its response: over TLS connections in production, in process in tests. Rejects only when
 * there is no readable response. An HTTP error status is a response.
 */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>
