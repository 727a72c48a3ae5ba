import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { ApiRequest, ApiResponse, Clock, Timer } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'
import { flatHeaders, type Connection } from './connection.ts'
import { isTimedOut, transportFailure } from './transport-failure.ts'

/** client-go's figures: a silent peer is asked after 30 s and given 15 s to answer. */
const PING_AFTER_MS = 30_000
const PING_TIMEOUT_MS = 15_000
/** How often it is looked whether anything has been heard: silence is found out that much too late at most. */
const LOOK_EVERY_MS = 5_000
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024
const SESSION_WINDOW_BYTES = 8 * 1024 * 1024

/** What {@link openH2Connection} needs. */
export interface H2Options {
  readonly server: string
  /** A connected socket that has negotiated `h2`. */
  readonly socket: TLSSocket
  readonly clock: Clock
}

/** Exchanges over one HTTP/2 session. GOAWAY retires it; a peer that stops answering pings breaks it. */
export function openH2Connection(options: H2Options): Connection {
  const { server, socket, clock } = options
  const prefix = new URL(server).pathname.replace(/\/+$/, '')
  const session = connect(server, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
  })
  session.once('connect', () => {
    // It may have been given up before it was ready, and throws then.
    if (!session.destroyed) session.setLocalWindowSize(SESSION_WINDOW_BYTES)
  })
  // Each stream reports the failure to its own caller.
  session.on('error', () => undefined)
  let isRetired = false
  session.on('goaway', () => (isRetired = true))
  keepAsking(session, socket, clock)

  return {
    isUsable: () => !isRetired && !session.closed && !session.destroyed,
    exchange(request) {
      const readBefore = socket.bytesRead
      // Not one byte since the call was sent: the next one does not wait for the ping to find out.
      const onTimeout = (): void => void (isRetired ||= socket.bytesRead === readBefore)
      return exchange(session, `${prefix}${request.path}`, request, server, onTimeout)
    },
    retire() {
      isRetired = true
      session.close()
    },
    destroy() {
      isRetired = true
      session.destroy()
    },
  }
}

function keepAsking(session: ClientHttp2Session, socket: TLSSocket, clock: Clock): void {
  let readBefore = socket.bytesRead
  let heardAt = clock.monotonic()
  let timer: Timer
  const look = (): void => {
    if (session.destroyed) return
    if (socket.bytesRead !== readBefore) {
      readBefore = socket.bytesRead
      heardAt = clock.monotonic()
    }
    const isSilent = clock.monotonic() - heardAt >= PING_AFTER_MS
    timer = clock.setTimer(isSilent ? PING_TIMEOUT_MS : LOOK_EVERY_MS, isSilent ? giveUp : look)
    // The answer is heard as bytes; without one the session ends.
    if (isSilent) session.ping((error) => void (error === null && wait()))
  }
  const giveUp = (): void => session.destroy(new Error('the API server answers no ping'))
  const wait = (): void => {
    timer.cancel()
    timer = clock.setTimer(LOOK_EVERY_MS, look)
  }
  timer = clock.setTimer(LOOK_EVERY_MS, look)
  session.once('close', () => timer.cancel())
}

function exchange(
  session: ClientHttp2Session,
  path: string,
  request: ApiRequest,
  server: string,
  onTimeout: () => void,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request
    const fail = (error: unknown): void => reject(transportFailure(error, { server, request, isSent: true }))
    if (signal?.aborted === true) return fail(signal.reason)
    let stream: ClientHttp2Stream
    try {
      stream = session.request(
        { ...request.headers, ':method': request.method, ':path': path },
        { endStream: request.body === undefined },
      )
    } catch (error) {
      // The session ended between the choice and the request: nothing was sent.
      return reject(transportFailure(error, { server, request, isSent: false }))
    }
    const abort = (): void => {
      if (isTimedOut(signal)) onTimeout()
      stream.close(constants.NGHTTP2_CANCEL)
    }
    signal?.addEventListener('abort', abort, { once: true })
    stream.once('error', (error) => fail(refusal(stream, request, error)))
    stream.once('close', () => {
      signal?.removeEventListener('abort', abort)
      fail(refusal(stream, request, new Error('the stream was closed without an answer')))
    })
    stream.once('response', (headers) =>
      resolve({
        status: headers[':status'] ?? 0,
        headers: flatHeaders(headers),
        body: bodyOf(stream, request, server),
      }),
    )
    if (request.body !== undefined) stream.end(request.body)
  })
}

/** A refused stream was not acted upon, as HTTP/2 promises; so it may be sent again. */
function refusal(stream: ClientHttp2Stream, request: ApiRequest, error: Error): Error {
  if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) return error
  return new TransportError(`${request.method} ${request.path}: the API server refused the stream`, {
    code: 'BERTH_API_UNREACHABLE',
    delivered: 'no',
    cause: error,
  })
}

async function* bodyOf(stream: ClientHttp2Stream, request: ApiRequest, server: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array
    // A reset after the headers ends the iteration quietly; only a complete answer may look complete.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(`the stream was reset (${stream.rstCode})`)
  } catch (error) {
    throw transportFailure(error, { server, request, isSent: true })
  }
}
