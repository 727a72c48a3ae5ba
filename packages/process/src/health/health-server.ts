import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@berth/types'
import { ListenError } from '../errors.ts'
import { formatHostPort, parseHostPort } from '../host-port.ts'
import type { MetricsText } from '../metrics/create-metrics.ts'
import { runHealthChecks } from './run-health-checks.ts'
import type { HealthCheck } from './run-health-checks.ts'

/** Options of {@link startHealthServer}. */
export interface StartHealthServerOptions {
  /** HOST:PORT. Port 0 selects any free port. */
  readonly address: string
  /** Run at each request, in addition to `ping`. */
  readonly checks: readonly HealthCheck[]
  /** Metrics of /metrics. Omit to answer 404 there. */
  readonly registry?: MetricsText
  readonly log: Logger
  /** When aborted, /readyz fails, so that no new work arrives while the program ends. */
  readonly stop?: AbortSignal
  /** Deadline of each check, in milliseconds. Default: 2000. */
  readonly checkDeadlineMs?: number
}

/** A listening server. Disposing it closes the port and all connections. */
export interface HealthServer extends AsyncDisposable {
  /** HOST:PORT with the real port. */
  readonly address: string
}

/**
 * Serves /livez, /readyz (`?verbose`, `?exclude=NAME`, /readyz/NAME) and /metrics, in the shape of controller-runtime's
 * healthz. Logs "Serving health" with {address}.
 *
 * @throws ListenError BERTH_LISTEN_ADDRESS, BERTH_LISTEN_FAILED (the port is in use or needs more permissions).
 */
export async function startHealthServer(options: StartHealthServerOptions): Promise<HealthServer> {
  const { address, log } = options
  const { host, port } = parseHostPort(address)
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 },
    (request, response) => {
      respond(request, response, options).catch((error: unknown) => {
        log.error({ err: error, path: request.url }, 'Health request failed')
        if (!response.headersSent) send(response, 500, 'internal error\n')
        response.destroy()
      })
    },
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(address, error)))
    server.listen({ port, ...(host !== '' && { host }) }, resolve)
  })
  const bound = server.address()
  const realPort = typeof bound === 'object' && bound !== null ? bound.port : port
  const realAddress = formatHostPort({ host: host === '' ? '0.0.0.0' : host, port: realPort })
  log.info({ address: realAddress }, 'Serving health')
  return {
    address: realAddress,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function listenError(address: string, error: NodeJS.ErrnoException): ListenError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'this user may not use the port',
    EADDRNOTAVAIL: 'this machine has no such address',
  }
  return new ListenError(`listen for health and metrics on ${address}: ${reasons[error.code ?? ''] ?? error.message}`, {
    code: 'BERTH_LISTEN_FAILED',
    cause: error,
    hint: 'Choose another --health-address. Port 0 selects any free port.',
  })
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { checks, registry, stop, checkDeadlineMs = 2_000 }: StartHealthServerOptions,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return send(response, 405, 'method not allowed\n')
  }
  const url = new URL(request.url ?? '/', 'http://health')
  const [, endpoint = '', name] = url.pathname.split('/')
  if (endpoint === 'metrics' && registry !== undefined) {
    return send(response, 200, await registry.metrics(), registry.contentType)
  }
  if (endpoint !== 'livez' && endpoint !== 'readyz') return send(response, 404, 'not found\n')
  const excluded = new Set(url.searchParams.getAll('exclude'))
  const asked = [ping, ...stopCheck(stop), ...checks].filter(
    (check) => (check.endpoints ?? ['readyz']).includes(endpoint) && !excluded.has(check.name),
  )
  const selected = name === undefined ? asked : asked.filter((check) => check.name === name)
  if (selected.length === 0 && name !== undefined) return send(response, 404, `no check named "${name}"\n`)
  const { isOk, text } = await runHealthChecks(endpoint, selected, checkDeadlineMs)
  return send(response, isOk ? 200 : 500, isOk && !url.searchParams.has('verbose') ? 'ok' : text)
}

const ping: HealthCheck = { name: 'ping', endpoints: ['livez', 'readyz'], check: () => undefined }

function stopCheck(stop: AbortSignal | undefined): readonly HealthCheck[] {
  if (stop === undefined) return []
  return [{ name: 'shutdown', check: () => (stop.aborted ? 'the process is ending' : undefined) }]
}

function send(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  response.end(text)
}
