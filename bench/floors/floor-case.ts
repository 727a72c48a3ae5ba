/** The clients of `floorTransports`, by name. */
export type FloorTransport = 'node:https' | 'undici' | 'raw TLS sockets' | 'raw TLS sockets, pipelined' | 'HTTP/2'

/** The encoding of requests and responses. */
export type FloorEncoding = 'JSON' | 'protobuf'

/** One measurement: which client binds which pods of which server. */
export interface FloorCase {
  readonly transport: FloorTransport
  readonly encoding: FloorEncoding
  /** Address of the server: `https://127.0.0.1:6443`. */
  readonly server: string
  readonly ca: string
  readonly authorization: string
  /** The pods to bind, by name; all in the namespace `default`. */
  readonly pods: { readonly prefix: string; readonly warmUp: number; readonly measured: number }
  readonly inFlight: number
  /** Process of the server on this machine, whose CPU time is measured, too. */
  readonly serverPid?: number
}

/** Average time per pod that the client used, after warming up. */
export interface FloorCost {
  /** CPU time of the client process, user and system. */
  readonly cpuUs: number
  readonly wallUs: number
  /** CPU time of the server process, user and system; undefined without {@link FloorCase.serverPid}. */
  readonly serverCpuUs?: number
}

/** Sends POSTs over connections that stay open. It has no deadlines, retries or rate limit, so it shows the least cost. */
export interface FloorClient {
  /** @returns The HTTP status, once the whole response has arrived. */
  post(path: string, body: Uint8Array): Promise<number>
  close(): void
}

/** The connection of a client, and the headers of every request. */
export interface FloorConnection extends Pick<FloorCase, 'server' | 'ca' | 'inFlight'> {
  readonly headers: Readonly<Record<string, string>>
}
