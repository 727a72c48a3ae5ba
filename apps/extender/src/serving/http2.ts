import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import {
  Http2ServerRequest,
  type Http2SecureServer,
  type Http2Session,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '@berth/types'

/** Window of one body and of all bodies of a connection: a body with 5,000 names is sent without a round trip. */
const WINDOW_BYTES = 1024 * 1024
const CONNECTION_WINDOW_BYTES = 16 * WINDOW_BYTES
/** kube-scheduler binds each pod in a goroutine of its own. Above the limit, Go's client opens another connection. */
const MAX_CONCURRENT_STREAMS = 1_000

/**
 * Options of a server that offers HTTP/2 by ALPN, and HTTP/1.1 to clients that do not. Go's client keeps only two idle
 * connections to a host with HTTP/1.1, so 500 concurrent calls would need a TLS handshake each.
 *
 * @param sessionMemoryMiB - Memory for the unread data of one connection.
 */
export function http2Options(sessionMemoryMiB: number): SecureServerOptions {
  return {
    allowHTTP1: true,
    maxSessionMemory: sessionMemoryMiB,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
  }
}

/** Times of {@link boundHttp2}. */
export interface Http2Bounds {
  /** Time for the body of a request, and for reading its response, milliseconds. */
  readonly requestMs: number
  readonly clock: Clock
}

/** Closes connections that do not finish the body of a request in time. The server has this bound for HTTP/1.1 only. */
export function boundHttp2(server: Http2SecureServer, { requestMs, clock }: Http2Bounds): void {
  server.on('session', (session) => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES))
  server.on('stream', (stream) => {
    const timer = clock.setTimer(requestMs, () => stream.session?.destroy())
    const cancel = (): void => timer.cancel()
    stream.once('end', cancel)
    stream.once('close', cancel)
  })
}

/**
 * Closes HTTP/2 connections whose caller does not read a response in time: the body of its request counts as in flight
 * until then, so that few unread responses would keep every other caller out.
 */
export function boundResponses(server: FastifyInstance, { requestMs, clock }: Http2Bounds): void {
  server.addHook('onSend', async ({ raw }) => {
    const stream = streamOf(raw)
    if (stream === undefined || stream.destroyed) return
    const timer = clock.setTimer(requestMs, () => stream.session?.destroy())
    stream.once('close', () => timer.cancel())
  })
}

function streamOf(request: IncomingMessage | Http2ServerRequest): ServerHttp2Stream | undefined {
  return request instanceof Http2ServerRequest ? request.stream : undefined
}

/** Returns what identifies the connection of a request: its socket, or the HTTP/2 session on it. */
export function connectionOf(request: IncomingMessage | Http2ServerRequest): Connection {
  if (!(request instanceof Http2ServerRequest)) return { key: request.socket, socket: request.socket }
  const { session } = request.stream
  return { key: session ?? request.stream, socket: session?.socket ?? request.socket, session }
}

/** The connection of a request. */
export interface Connection {
  /** The same object for every request of the connection. */
  readonly key: object
  readonly socket: Socket
  /** Undefined for HTTP/1.1. */
  readonly session?: Http2Session | undefined
}
