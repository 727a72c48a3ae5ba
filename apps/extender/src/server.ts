import { errorText } from '@berth/text/error-text'
import type { Server as HttpsServer } from 'node:https'
import { formatHostPort, parseHostPort } from '@berth/process/health'
import { BerthError, type Clock, type Logger } from '@berth/types'
import { fastify, type FastifyInstance } from 'fastify'
import type { Binder } from './bind/binder.ts'
import type { PreemptionReview } from './preemption/review-preemption.ts'
import { ServeError } from './errors.ts'
import type { Evaluator } from './evaluator.ts'
import type { ExtenderMetrics } from './metrics.ts'
import { addRoutes } from './routes.ts'
import type { ServingMode } from './serving-mode.ts'

/** Dependencies of the extender server. */
export interface ExtenderServerOptions {
  /** HOST:PORT. */
  readonly listen: string
  readonly servingMode: ServingMode
  readonly evaluator: Evaluator
  readonly reviewPreemption: PreemptionReview
  /** Undefined when the bind verb is not served. */
  readonly binder: Pick<Binder, 'bind'> | undefined
  /** Maximum delay of a filter response without a feasible node, milliseconds. */
  readonly secondLookMs: number
  readonly metrics: ExtenderMetrics
  readonly clock: Clock
  readonly log: Logger
}

/** A listening server. Disposing it finishes open requests and closes the port. */
export interface ExtenderServer extends AsyncDisposable {
  /** HOST:PORT with the actual port. */
  readonly address: string
}

const BODY_LIMIT_BYTES = 16 * 1024 * 1024
/** Go's client closes an idle connection after 90 s. The server must not close it earlier. */
const KEEP_ALIVE_MS = 120_000
const CERTIFICATE_CHECK_MS = 30_000

/**
 * Serves POST /filter, /prioritize and /preempt of kube-scheduler's extender protocol (v1.36). Errors of a pod are
 * returned with status 200 in `Error`, because kube-scheduler drops the body of any other response. Each response is one
 * string with a Content-Length, because a chunked response costs Go's client its connection.
 *
 * @throws ServeError BERTH_EXTENDER_LISTEN
 */
export async function startExtenderServer(options: ExtenderServerOptions): Promise<ExtenderServer> {
  const { listen, servingMode, log, clock } = options
  const { host, port } = parseHostPort(listen)
  const server = createServer(servingMode)
  addRoutes(server, options)
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
    servingMode.kind === 'tls' ? watchCertificates(server, servingMode.read, { clock, log }) : undefined
  log.info({ address, tls: servingMode.kind === 'tls' }, 'Serving scheduler extender')
  return {
    address,
    async [Symbol.asyncDispose]() {
      stopWatching?.()
      await server.close()
    },
  }
}

function createServer(servingMode: ServingMode): FastifyInstance {
  const common = {
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle' as const,
    logger: false,
  }
  if (servingMode.kind === 'plain') return fastify(common)
  const { cert, key, ca } = servingMode.read()
  const callers = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return fastify({ ...common, https: { cert, key, minVersion: 'TLSv1.2', ...callers } })
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
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): () => void {
  let current = JSON.stringify(read())
  const check = (): void => {
    try {
      const material = read()
      const next = JSON.stringify(material)
      if (next !== current) {
        const { cert, key, ca } = material
        ;(server.server as unknown as HttpsServer).setSecureContext({
          cert,
          key,
          ...(ca !== undefined && { ca }),
          minVersion: 'TLSv1.2',
        })
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
