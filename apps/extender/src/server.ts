import { errorText } from '@berth/text/error-text'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { formatHostPort, parseHostPort } from '@berth/process/health'
import { BerthError, type Clock, type Logger } from '@berth/types'
import { ServeError } from './errors.ts'
import { type CallHandlerOptions, createCallHandler } from './call-handler.ts'
import { createCertificateExpiry, type CertificateExpiry } from './serving/certificate-expiry.ts'
import { createNameCheck } from './serving/client-names.ts'
import { createConnectionAge } from './serving/connection-age.ts'
import { guardConnections } from './serving/connection-guard.ts'
import { http1Call } from './serving/http1-call.ts'
import { http2Call } from './serving/http2-call.ts'
import { http2Options, serveHttp2 } from './serving/http2.ts'
import type { ServingMode, TlsMaterial } from './serving-mode.ts'

/** Dependencies of the extender server. */
export interface ExtenderServerOptions extends Omit<CallHandlerOptions, 'isAllowed'> {
  /** HOST:PORT. */
  readonly listen: string
  readonly servingMode: ServingMode
  readonly maxConnections: number
  readonly maxConnectionAgeMs: number
  /** Default: {@link TIMES}. */
  readonly times?: ServerTimes
}

/** Times for a caller, milliseconds. A connection that exceeds one is closed. */
export interface ServerTimes {
  readonly handshakeMs: number
  readonly headersMs: number
  /** For headers and body. */
  readonly requestMs: number
  /** Interval between two checks of the times for headers and body. */
  readonly checkMs: number
}

/** A listening server. Disposing it finishes open requests and closes the port. */
export interface ExtenderServer extends AsyncDisposable {
  /** HOST:PORT with the actual port. */
  readonly address: string
}

/** Go's client closes an idle connection after 90 s. The server must not close it earlier. */
const KEEP_ALIVE_MS = 120_000
const CERTIFICATE_CHECK_MS = 30_000
/** Limits how long a slow caller occupies a connection. kube-scheduler sends its requests within milliseconds. */
const TIMES: ServerTimes = { handshakeMs: 5_000, headersMs: 5_000, requestMs: 10_000, checkMs: 1_000 }
const TLS_VERSION = 'TLSv1.3'

/**
 * Serves POST /filter, /prioritize and /preempt of kube-scheduler's extender protocol (v1.36), with TLS also over HTTP/2. Errors of a pod are
 * returned with status 200 in `Error`, because kube-scheduler drops the body of any other response. Each response has
 * its Content-Length, because a chunked response costs Go's client its connection.
 *
 * @throws ServeError BERTH_EXTENDER_LISTEN
 */
export async function startExtenderServer(options: ExtenderServerOptions): Promise<ExtenderServer> {
  const { listen, servingMode, log, clock } = options
  const { host, port } = parseHostPort(listen)
  const closing = new AbortController()
  const server = createServer(options, closing.signal)
  const expiry = createCertificateExpiry(options)
  server.on('secureConnection', (socket: Socket) => expiry.connected(socket))
  try {
    const listening = once(server, 'listening')
    server.listen({ port, host: host === '' ? '0.0.0.0' : host })
    await listening
  } catch (error) {
    throw listenError(listen, error)
  }
  const bound = server.address()
  const address =
    typeof bound === 'object' && bound !== null ? formatHostPort({ host: bound.address, port: bound.port }) : listen
  const stopWatching =
    servingMode.kind === 'tls'
      ? watchCertificates(server as Http2SecureServer, servingMode.read, { expiry, clock, log })
      : undefined
  log.info({ address, tls: servingMode.kind === 'tls' }, 'Serving scheduler extender')
  return {
    address,
    async [Symbol.asyncDispose]() {
      stopWatching?.()
      expiry.stop()
      closing.abort()
      const closed = Promise.withResolvers<void>()
      // Closes idle connections, and those of HTTP/2 after the calls on them.
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

function createServer(options: ExtenderServerOptions, closing: AbortSignal): HttpServer | Http2SecureServer {
  const { servingMode, allowedClientNames, maxConnections, limits, times = TIMES, metrics, clock } = options
  const isTls = servingMode.kind === 'tls'
  const isAllowed = isTls && servingMode.read().ca !== undefined ? createNameCheck(allowedClientNames) : undefined
  const serve = createCallHandler({ ...options, isAllowed })
  const common = { connectionsCheckingInterval: times.checkMs }
  const server = isTls
    ? createSecureServer({
        ...common,
        ...http2Options(limits.maxRequestBytes),
        ...tlsOptions(servingMode.read()),
        handshakeTimeout: times.handshakeMs,
      })
    : createHttpServer(common)
  Object.assign(server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
  })
  guardConnections(server, isTls, {
    maxConnections,
    isAllowed: isAllowed && ((socket) => isAllowed({ key: socket, socket })),
    onClosed: () => metrics.closedConnections.inc(),
  })
  const age = createConnectionAge({ maxAgeMs: options.maxConnectionAgeMs, clock, random: options.random })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const call = http1Call(request, response)
    if (closing.aborted || (isTls && age.isOver(call.connection.socket))) call.closeConnection()
    serve(call)
  })
  if (isTls) {
    const bounds = { requestMs: times.requestMs, clock }
    serveHttp2(server as Http2SecureServer, { age, sessionTimeoutMs: KEEP_ALIVE_MS }, (stream, session, headers) =>
      serve(http2Call(stream, session, headers, bounds)),
    )
  }
  return server
}

function tlsOptions({ cert, key, ca }: TlsMaterial) {
  const callers = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return { cert, key, minVersion: TLS_VERSION, ...callers } as const
}

function listenError(listen: string, error: unknown): ServeError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reason = code === 'EADDRINUSE' ? 'the port is in use' : errorText(error)
  return new ServeError(`listen for kube-scheduler on ${listen}: ${reason}`, {
    code: 'BERTH_EXTENDER_LISTEN',
    cause: error,
    hint: 'Choose another --listen address. Port 0 selects a free port.',
  })
}

function watchCertificates(
  server: Http2SecureServer,
  read: Extract<ServingMode, { kind: 'tls' }>['read'],
  { expiry, clock, log }: { readonly expiry: CertificateExpiry; readonly clock: Clock; readonly log: Logger },
): () => void {
  const first = read()
  expiry.read(first)
  let current = JSON.stringify(first)
  const check = (): void => {
    try {
      const material = read()
      const next = JSON.stringify(material)
      expiry.read(material)
      if (next !== current) {
        server.setSecureContext(tlsOptions(material))
        current = next
        log.info({}, 'Reloaded certificates')
      }
    } catch (error) {
      log.warn(
        { err: error instanceof BerthError ? error.message : error },
        'Could not reload certificates; keeping the previous ones',
      )
    }
    timer = clock.setTimer(CERTIFICATE_CHECK_MS, check)
  }
  let timer = clock.setTimer(CERTIFICATE_CHECK_MS, check)
  return () => timer.cancel()
}
