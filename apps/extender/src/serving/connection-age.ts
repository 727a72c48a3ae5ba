import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock, Random } from '@berth/types'

/** Options of {@link createConnectionAge}. */
export interface ConnectionAgeOptions {
  readonly maxAgeMs: number
  readonly clock: Clock
  readonly random: Random
}

/** Ends connections at an age. */
export interface ConnectionAge {
  /** Notes a new HTTP/2 connection. */
  opened(session: ServerHttp2Session): void
  /** Notes a call over HTTP/2. Returns false if the connection is over: the call must be refused. */
  mayCall(session: ServerHttp2Session, stream: Pick<ServerHttp2Stream, 'id'>): boolean
  /** Returns whether an HTTP/1.1 connection must end with the response of this call. */
  isOver(socket: Socket): boolean
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
export function createConnectionAge(options: ConnectionAgeOptions): ConnectionAge {
  const { maxAgeMs, clock, random } = options
  const lifetimeMs = (): number => maxAgeMs * (1 - JITTER * random())
  const lastCalls = new WeakMap<object, number>()
  const noticed = new WeakMap<object, number>()
  const endsAtMs = new WeakMap<object, number>()
  return {
    opened(session) {
      let timer = clock.setTimer(lifetimeMs(), () => {
        const lastCall = lastCalls.get(session) ?? 0
        session.goaway(constants.NGHTTP2_NO_ERROR, lastCall)
        noticed.set(session, lastCall)
        timer = clock.setTimer(NOTICE_MS, () => session.close())
      })
      session.once('close', () => timer.cancel())
    },
    mayCall(session, { id = 0 }) {
      lastCalls.set(session, id)
      // Node sends the notice at the end of the turn. The caller sends a call that it does not name again.
      return id <= (noticed.get(session) ?? Infinity)
    },
    isOver(socket) {
      const endMs = endsAtMs.get(socket)
      if (endMs !== undefined) return clock.monotonic() >= endMs
      endsAtMs.set(socket, clock.monotonic() + lifetimeMs())
      return false
    },
  }
}
