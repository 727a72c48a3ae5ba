import type { FastifyInstance, FastifyReply } from 'fastify'
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
 * kube-scheduler resets the stream of a response whose JSON it has read before the end arrives. Node closes a connection with more
 * than 33 resets a second after a burst of 1,000, together with every call on it: a pod is then bound, but kube-scheduler
 * reports a failure. Callers have proven who they are, so the limit only has to be above the rate of any scheduler.
 */
const RESETS_PER_SECOND = 10_000

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
    streamResetBurst: RESETS_PER_SECOND,
    streamResetRate: RESETS_PER_SECOND,
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
export function boundResponses(server: FastifyInstance, bounds: Http2Bounds): void {
  server.addHook('onSend', async ({ raw }) => {
    const stream = streamOf(raw)
    if (stream !== undefined) boundResponse(stream, bounds)
  })
}

function boundResponse(stream: ServerHttp2Stream, { requestMs, clock }: Http2Bounds): void {
  if (stream.destroyed) return
  const timer = clock.setTimer(requestMs, () => stream.session?.destroy())
  stream.once('close', () => timer.cancel())
}

/**
 * Sends a response over HTTP/2 whose last frame has both its last bytes and its end. Node's response object sends the end
 * in a frame of its own, in case trailers follow. Go's client has often read the JSON before that frame arrives, and then
 * resets the stream.
 *
 * @returns false when the request did not come over HTTP/2, or its stream is closed. Nothing was sent then.
 */
export function sendInOnePiece(
  reply: Pick<FastifyReply, 'request' | 'hijack'>,
  headers: Readonly<Record<string, string | number>> & { readonly ':status': number },
  body: Buffer,
  bounds: Http2Bounds,
): boolean {
  const stream = streamOf(reply.request.raw)
  if (stream === undefined || stream.closed || stream.destroyed || stream.headersSent) return false
  reply.hijack()
  boundResponse(stream, bounds)
  stream.respond({ ...headers, 'content-length': body.length })
  stream.end(body)
  return true
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
