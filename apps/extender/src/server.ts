import { errorText } from '@berth/text/error-text'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { formatHostPort, parseHostPort } from '@berth/process/health'
import { BerthError, type Clock, type Logger, type Random } from '@berth/types'
import { fastify, type FastifyInstance } from 'fastify'
import type { Binder } from './bind/binder.ts'
import type { PreemptionReview } from './preemption/review-preemption.ts'
import { ServeError } from './errors.ts'
import type { Evaluator } from './evaluator.ts'
import type { ExtenderMetrics } from './metrics.ts'
import type { RejectedPods } from './retries/rejected-pods.ts'
import { addRoutes } from './routes.ts'
import { createCertificateExpiry, type CertificateExpiry } from './serving/certificate-expiry.ts'
import { clientNames, createNameCheck } from './serving/client-names.ts'
import { boundConnectionAge } from './serving/connection-age.ts'
import { guardConnections } from './serving/connection-guard.ts'
import type { BodyDiscarder } from './serving/discard-body.ts'
import { boundHttp2, boundResponses, connectionOf, http2Options } from './serving/http2.ts'
import type { RequestLimits } from './serving/request-limits.ts'
import type { ServingMode, TlsMaterial } from './serving-mode.ts'

/** Dependencies of the extender server. */
export interface ExtenderServerOptions {
  /** HOST:PORT. */
  readonly listen: string
  readonly servingMode: ServingMode
  readonly evaluator: Evaluator
  readonly reviewPreemption: PreemptionReview
  /** Undefined when the bind verb is not served. */
  readonly binder: Pick<Binder, 'bind'> | undefined
  /** Names in client certificates that may call. Not used without client certificates. */
  readonly allowedClientNames: readonly string[]
  readonly maxConnections: number
  readonly maxConnectionAgeMs: number
  readonly limits: RequestLimits
  readonly discarder: BodyDiscarder
  /** Default: {@link TIMES}. */
  readonly times?: ServerTimes
  /** Maximum delay of a filter response without a feasible node, milliseconds. */
  readonly secondLookMs: number
  /** Undefined when kube-scheduler cannot be made to retry. */
  readonly rejectedPods: Pick<RejectedPods, 'add' | 'delete'> | undefined
  readonly metrics: ExtenderMetrics
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
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
  const server = createServer(options)
  const expiry = createCertificateExpiry(options)
  server.server.on('secureConnection', (socket: Socket) => expiry.connected(socket))
  addRoutes(server, { ...options, requestMs: (options.times ?? TIMES).requestMs })
  try {
    await server.listen({ port, host: host === '' ? '0.0.0.0' : host })
  } catch (error) {
    await server.close()
    throw listenError(listen, error)
  }
  const bound = server.server.address()
  const address =
    typeof bound === 'object' && bound !== null ? formatHostPort({ host: bound.address, port: bound.port }) : listen
  const stopWatching =
    servingMode.kind === 'tls' ? watchCertificates(server, servingMode.read, { expiry, clock, log }) : undefined
  log.info({ address, tls: servingMode.kind === 'tls' }, 'Serving scheduler extender')
  return {
    address,
    async [Symbol.asyncDispose]() {
      stopWatching?.()
      expiry.stop()
      await server.close()
    },
  }
}

function createServer(options: ExtenderServerOptions): FastifyInstance {
  const { servingMode, allowedClientNames, maxConnections, limits, times = TIMES, metrics, clock, log } = options
  const common = { bodyLimit: limits.maxRequestBytes, forceCloseConnections: 'idle' as const, logger: false }
  const server =
    servingMode.kind === 'tls'
      ? createTlsServer(common, servingMode, times)
      : fastify({ ...common, http: { connectionsCheckingInterval: times.checkMs } })
  Object.assign(server.server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: times.headersMs,
    requestTimeout: times.requestMs,
    connectionsCheckingInterval: times.checkMs,
  })
  const isTls = servingMode.kind === 'tls'
  const isAllowed = isTls && servingMode.read().ca !== undefined ? createNameCheck(allowedClientNames) : undefined
  guardConnections(server.server, isTls, {
    maxConnections,
    isAllowed: isAllowed && ((socket) => isAllowed({ key: socket, socket })),
    onClosed: () => metrics.closedConnections.inc(),
  })
  if (isTls) {
    const bounds = { requestMs: times.requestMs, clock }
    boundHttp2(server.server as unknown as Http2SecureServer, bounds)
    boundResponses(server, bounds)
    boundConnectionAge(server, { maxAgeMs: options.maxConnectionAgeMs, clock, random: options.random })
  }
  if (isAllowed !== undefined) {
    server.addHook('onRequest', async (request, reply) => {
      const connection = connectionOf(request.raw)
      if (isAllowed(connection)) return
      const names = clientNames(connection.socket).join(', ')
      log.warn({ names }, 'Refused a caller whose certificate has no allowed name')
      metrics.calls.inc({ verb: 'any', result: 'forbidden' })
      const message = `forbidden: the client certificate is for ${names}, and allowedClientNames has ${allowedClientNames.join(', ')}`
      if (connection.session === undefined) reply.header('connection', 'close')
      else reply.raw.once('close', () => connection.session?.close())
      return reply.code(403).type('application/json').send({ Error: message })
    })
  }
  return server
}

function createTlsServer(
  common: { readonly bodyLimit: number; readonly forceCloseConnections: 'idle'; readonly logger: boolean },
  servingMode: Extract<ServingMode, { kind: 'tls' }>,
  times: ServerTimes,
): FastifyInstance {
  const sessionMemoryMiB = Math.ceil(common.bodyLimit / 1_048_576) * 4
  return fastify({
    ...common,
    http2: true,
    http2SessionTimeout: KEEP_ALIVE_MS,
    https: {
      ...http2Options(sessionMemoryMiB),
      ...tlsOptions(servingMode.read()),
      handshakeTimeout: times.handshakeMs,
    },
  }) as unknown as FastifyInstance
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
  server: FastifyInstance,
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
        ;(server.server as unknown as Http2SecureServer).setSecureContext(tlsOptions(material))
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
