import {
  constants,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { ConnectionAge } from './connection-age.ts'

const MIB = 1024 * 1024
/** Window of one body and of all bodies of a connection: a body with 5,000 names is sent without a round trip. */
const WINDOW_BYTES = MIB
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
 * @param maxRequestBytes - Maximum size of a body. The unread data of a connection may have four times this size.
 */
export function http2Options(maxRequestBytes: number): SecureServerOptions {
  return {
    allowHTTP1: true,
    maxSessionMemory: Math.ceil(maxRequestBytes / MIB) * 4,
    streamResetBurst: RESETS_PER_SECOND,
    streamResetRate: RESETS_PER_SECOND,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
  }
}

/** Options of {@link serveHttp2}. */
export interface ServeHttp2Options {
  readonly age: ConnectionAge
  /** An idle connection is closed after this time, milliseconds. */
  readonly sessionTimeoutMs: number
}

/**
 * Calls the listener for each stream of HTTP/2. A listener of `request` must exist already: Node then creates request and response
 * objects for each stream, which cost a third of the CPU time of a call with 420 names, so this function takes the streams instead.
 */
export function serveHttp2(
  server: Http2SecureServer,
  { age, sessionTimeoutMs }: ServeHttp2Options,
  onStream: (stream: ServerHttp2Stream, session: ServerHttp2Session, headers: IncomingHttpHeaders) => void,
): void {
  server.on('session', (session) => {
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
    session.setTimeout(sessionTimeoutMs, () => session.close())
    age.opened(session)
  })
  server.removeAllListeners('stream')
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const session = stream.session as ServerHttp2Session | undefined
    if (session === undefined) return
    // Without a listener, the error of a reset stream would end the process. The reader of the body gets it, too.
    stream.on('error', () => undefined)
    if (age.mayCall(session, stream)) onStream(stream, session, headers)
    else stream.close(constants.NGHTTP2_REFUSED_STREAM)
  })
}
