import type { FastifyInstance } from 'fastify'
import {
  constants,
  Http2ServerRequest,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Clock, Random } from '@berth/types'

/** Options of {@link boundConnectionAge}. */
export interface ConnectionAgeOptions {
  readonly maxAgeMs: number
  readonly clock: Clock
  readonly random: Random
}

/**
 * Time between the notice and the end of an HTTP/2 connection. The notice names the last call that the server has seen: it is answered,
 * and the caller sends later ones again on another connection. A connection that ended at once could take the notice with it.
 */
const NOTICE_MS = 5_000
/** Replicas and callers that started together do not connect together again. */
const JITTER = 0.1

/**
 * Ends connections at an age, without failing a call. TLS verifies certificates only in its handshake, so that a busy
 * caller would otherwise use one connection, and prove itself with one certificate, for ever.
 */
export function boundConnectionAge(server: FastifyInstance, options: ConnectionAgeOptions): void {
  const { maxAgeMs, clock, random } = options
  const lifetimeMs = (): number => maxAgeMs * (1 - JITTER * random())
  const http2 = server.server as unknown as Http2SecureServer
  const lastCalls = new WeakMap<object, number>()
  const noticed = new WeakMap<object, number>()
  http2.on('stream', ({ session, id }: ServerHttp2Stream) => {
    if (session !== undefined) lastCalls.set(session, id ?? 0)
  })
  http2.on('session', (session: ServerHttp2Session) => {
    let timer = clock.setTimer(lifetimeMs(), () => {
      const lastCall = lastCalls.get(session) ?? 0
      session.goaway(constants.NGHTTP2_NO_ERROR, lastCall)
      noticed.set(session, lastCall)
      timer = clock.setTimer(NOTICE_MS, () => session.close())
    })
    session.once('close', () => timer.cancel())
  })
  const endsAtMs = new WeakMap<object, number>()
  server.addHook('onRequest', async (request, reply) => {
    if (request.raw instanceof Http2ServerRequest) {
      const { stream } = request.raw
      if ((stream.id ?? 0) <= (noticed.get(stream.session ?? stream) ?? Infinity)) return
      // Node sends the notice at the end of the turn. The caller sends a call that it does not name again.
      reply.hijack()
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    const { socket } = request.raw
    const endMs = endsAtMs.get(socket)
    if (endMs === undefined) endsAtMs.set(socket, clock.monotonic() + lifetimeMs())
    else if (clock.monotonic() >= endMs) reply.header('connection', 'close')
  })
}
