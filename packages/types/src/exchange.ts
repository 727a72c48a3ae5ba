/** One HTTP request to an API server, whatever carries it. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with query, as on the request line. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Whether the answer may be so large that it must not share a connection with calls that somebody waits for. */
  readonly isBulk?: boolean
  /** Aborting ends the exchange, a watch included. */
  readonly signal?: AbortSignal
}

/** Its answer. `body` yields chunks as they come; a watch's body ends when the server ends it. */
export interface ApiResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Carries exchanges: over TLS connections in production, in process in tests. Rejects only when the exchange
 * broke (no answer, or none that could be read); an HTTP error status is an answer.
 */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>
