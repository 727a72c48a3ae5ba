import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { onAbort } from '@berth/clock'
import type { ApiRequest, ApiResponse, Clock, Timer } from '@berth/types'
import { TransportError } from '../errors/transport-error.ts'
import { flattenHeaders, type Connection } from './connection.ts'
import { forgetListeners } from './forget-listeners.ts'
import { createResponseBody } from './response-body.ts'
import { isTimedOut, toTransportError } from './to-transport-error.ts'

/** client-go's values: a silent peer is pinged after 30 s and has 15 s to answer. */
const PING_AFTER_MS = 30_000
const PING_TIMEOUT_MS = 15_000
/** Interval of the checks for received bytes; silence is detected at most this much too late. */
const CHECK_INTERVAL_MS = 5_000
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024
const SESSION_WINDOW_BYTES = 8 * 1024 * 1024

/** Options of {@link openH2Connection}. */
export interface H2Options {
  readonly server: string
  /** A connected socket that has negotiated `h2`. */
  readonly socket: TLSSocket
  readonly clock: Clock
}

/** Opens one HTTP/2 session. GOAWAY retires it; a peer that no longer answers pings ends it. */
export function openH2Connection(options: H2Options): Connection {
  const { server, socket, clock } = options
  const prefix = new URL(server).pathname.replace(/\/+$/, '')
  const session = connect(server, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
  })
  session.once('connect', () => {
    // The session may have been destroyed before it was ready; the call would then throw.
    if (!session.destroyed) session.setLocalWindowSize(SESSION_WINDOW_BYTES)
  })
  // Each stream reports the failure to its caller.
  session.on('error', () => undefined)
  let isRetired = false
  session.on('goaway', () => (isRetired = true))
  watchLiveness(session, socket, clock)

  return {
    isUsable: () => !isRetired && !session.closed && !session.destroyed,
    send(request) {
      const readBefore = socket.bytesRead
      // If no byte arrived since the call was sent, retire the session, so that the next call need not wait for the
      // ping.
      const onTimeout = (): void => void (isRetired ||= socket.bytesRead === readBefore)
      return sendOnSession(session, `${prefix}${request.path}`, request, server, onTimeout)
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

function watchLiveness(session: ClientHttp2Session, socket: TLSSocket, clock: Clock): void {
  let readBefore = socket.bytesRead
  let receivedAt = clock.monotonic()
  let timer: Timer
  const check = (): void => {
    if (session.destroyed) return
    if (socket.bytesRead !== readBefore) {
      readBefore = socket.bytesRead
      receivedAt = clock.monotonic()
    }
    const isSilent = clock.monotonic() - receivedAt >= PING_AFTER_MS
    timer = clock.setTimer(isSilent ? PING_TIMEOUT_MS : CHECK_INTERVAL_MS, isSilent ? giveUp : check)
    // The answer shows as received bytes; without an answer the session ends.
    if (isSilent) session.ping((error) => void (error === null && wait()))
  }
  const giveUp = (): void => session.destroy(new Error('the API server does not answer pings'))
  const wait = (): void => {
    timer.cancel()
    timer = clock.setTimer(CHECK_INTERVAL_MS, check)
  }
  timer = clock.setTimer(CHECK_INTERVAL_MS, check)
  session.once('close', () => timer.cancel())
}

function sendOnSession(
  session: ClientHttp2Session,
  path: string,
  request: ApiRequest,
  server: string,
  onTimeout: () => void,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request
    const fail = (error: unknown): void => reject(toTransportError(error, { server, request, isSent: true }))
    if (signal?.aborted === true) return fail(signal.reason)
    let stream: ClientHttp2Stream
    try {
      stream = session.request(
        { ...request.headers, ':method': request.method, ':path': path },
        { endStream: request.body === undefined },
      )
    } catch (error) {
      // The session ended before the request: nothing was sent.
      return reject(toTransportError(error, { server, request, isSent: false }))
    }
    const stopListening = onAbort(signal, () => {
      if (isTimedOut(signal)) onTimeout()
      stream.close(constants.NGHTTP2_CANCEL)
    })
    const body = createResponseBody({
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
      cancel: () => stream.close(constants.NGHTTP2_CANCEL),
    })
    let hasResponse = false
    let failure: Error | undefined
    stream.once('error', (error) => (failure = error))
    stream.once('close', () => {
      stopListening()
      // An error with its stack is expensive, and every stream closes.
      if (!hasResponse) fail(refusal(stream, request, failure ?? new Error('the stream was closed without a response')))
      else {
        const error = failure ?? resetError(stream)
        if (error === undefined) body.end()
        else body.fail(toTransportError(error, { server, request, isSent: true }))
      }
      forgetListeners(stream)
    })
    stream.once('response', (headers) => {
      hasResponse = true
      stream.on('data', (chunk: Buffer) => body.push(chunk))
      resolve({ status: headers[':status'] ?? 0, headers: flattenHeaders(headers), body })
    })
    if (request.body !== undefined) stream.end(request.body)
  })
}

/**
 * Converts the error of a stream. HTTP/2 guarantees that a refused stream was not processed, so it may be sent again.
 */
function refusal(stream: ClientHttp2Stream, request: ApiRequest, error: Error): Error {
  if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) return error
  return new TransportError(`${request.method} ${request.path}: the API server refused the stream`, {
    code: 'BERTH_API_REFUSED',
    delivered: 'no',
    cause: error,
  })
}

/** Returns the error of a stream that was reset, whose response is incomplete; undefined for any other stream. */
function resetError({ rstCode }: ClientHttp2Stream): Error | undefined {
  return rstCode === constants.NGHTTP2_NO_ERROR ? undefined : new Error(`the stream was reset (${rstCode})`)
}
