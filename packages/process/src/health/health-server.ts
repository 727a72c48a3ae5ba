import { isLoopbackAddress, refuseRemoteCaller } from './local-pages.ts'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import { X509Certificate } from 'node:crypto'
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { Logger } from '@berth/types'
import { ListenError } from '../errors.ts'
import { formatHostPort, parseHostPort } from '../host-port.ts'
import type { MetricsText } from '../metrics/create-metrics.ts'
import { limitConnections } from './limit-connections.ts'
import { runHealthChecks } from './run-health-checks.ts'
import type { HealthCheck } from './run-health-checks.ts'

/** A page beside the checks and the metrics. */
export interface Page {
  readonly contentType: string
  /** Returns the text; undefined for 404. */
  readonly text: (query: URLSearchParams) => string | undefined | Promise<string | undefined>
}

/** Certificates of an HTTPS server. */
export interface ServerTls {
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** PEM of the authorities of client certificates. When given, also if empty, callers are asked for a certificate. */
  readonly clientAuthorities?: readonly string[]
}

/** A client certificate that a client authority signed. */
export interface ClientCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly fingerprint256: string
  /** Fingerprint of the authority at the root of its chain. */
  readonly rootFingerprint256: string
}

/** A request for the metrics or a page, as its authorization sees it. */
export interface AccessRequest {
  /** Path without the query. */
  readonly path: string
  /** Bearer token; undefined when the request has none. */
  readonly token: string | undefined
  /** Address of the other end of the connection. */
  readonly address: string
  /** The verified client certificate; undefined when there is none, or no client authority signed it. */
  readonly clientCertificate: ClientCertificate | undefined
  /** Values by lower-case name. */
  readonly headers: Readonly<Partial<Record<string, readonly string[]>>>
  /** Whether the request came from this host. */
  readonly isLoopback: boolean
  /** Aborts when the connection of the request closes. */
  readonly signal: AbortSignal
}

/** Why a request is refused. */
export interface AccessRefusal {
  readonly status: 401 | 403 | 429 | 500
  readonly reason: string
}

/** Options of {@link startHealthServer}. */
export interface StartHealthServerOptions {
  /** HOST:PORT. Port 0 selects any free port. */
  readonly address: string
  /** Run at each request, in addition to `ping`. */
  readonly checks: readonly HealthCheck[]
  /** Metrics of /metrics. Omit to answer 404 there. */
  readonly registry?: MetricsText
  /** Omit to serve plain HTTP. */
  readonly tls?: ServerTls
  /** Pages by path, such as `/configz`. */
  readonly pages?: ReadonlyMap<string, Page>
  /**
   * Returns why a request for the metrics or an existing page is refused; undefined allows it. Default: anyone may read
   * the metrics, and only this host the pages.
   */
  readonly authorize?: (request: AccessRequest) => AccessRefusal | undefined | Promise<AccessRefusal | undefined>
  /** Flag that sets the address, for the hint of errors. Default: `--health-address`. */
  readonly flag?: string
  readonly log: Logger
  /** When aborted, /readyz fails, so that no new work arrives while the program ends. */
  readonly stop?: AbortSignal
  /** Deadline of each check, in milliseconds. Default: 2000. */
  readonly checkDeadlineMs?: number
  /** Open connections above which the oldest idle one is closed for a new one. Default: 128. */
  readonly maxConnections?: number
}

/** A listening server. Disposing it closes the port and all connections. */
export interface HealthServer extends AsyncDisposable {
  /** HOST:PORT with the real port. */
  readonly address: string
  /** Uses other certificates for new connections. Existing connections go on. Does nothing over plain HTTP. */
  setTls(tls: ServerTls): void
}

/**
 * Serves /livez, /readyz (`?verbose`, `?exclude=NAME`, /readyz/NAME), /healthz (as /livez), /metrics and pages, in the
 * shape of controller-runtime's healthz. Everyone may read the checks. Logs "Serving health" with {address}.
 *
 * @throws ListenError BERTH_LISTEN_ADDRESS, BERTH_LISTEN_FAILED (the port is in use or needs more permissions).
 */
export async function startHealthServer(options: StartHealthServerOptions): Promise<HealthServer> {
  const { address, log, tls, flag = '--health-address' } = options
  const { host, port } = parseHostPort(address)
  const server = createListener(tls, (request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      log.error({ err: error, path: request.url }, 'Health request failed')
      if (!response.headersSent) send(response, 500, 'internal error\n')
      response.destroy()
    })
  })
  limitConnections(server, options.maxConnections)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(address, flag, error)))
    server.listen({ port, ...(host !== '' && { host }) }, resolve)
  })
  const bound = server.address()
  const realPort = typeof bound === 'object' && bound !== null ? bound.port : port
  const realAddress = formatHostPort({ host: host === '' ? '0.0.0.0' : host, port: realPort })
  log.info({ address: realAddress, tls: tls !== undefined }, 'Serving health')
  return {
    address: realAddress,
    setTls(next) {
      if (server instanceof TlsServer) server.setSecureContext(contextOf(next))
    },
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function createListener(tls: StartHealthServerOptions['tls'], listener: RequestListener): Server {
  const limits = { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 }
  return tls === undefined
    ? createServer(limits, listener)
    : createTlsServer(
        {
          ...limits,
          ...contextOf(tls),
          // Callers without a certificate may have a token.
          ...(tls.clientAuthorities !== undefined && { requestCert: true, rejectUnauthorized: false }),
        },
        listener,
      )
}

function contextOf({ cert, key, clientAuthorities = [] }: ServerTls) {
  // Without `ca`, Node.js would trust the public authorities.
  return { cert, key, ca: [...clientAuthorities], minVersion: 'TLSv1.2' as const }
}

function clientCertificateOf(socket: IncomingMessage['socket']): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const certificate = socket.getPeerCertificate(true)
  // An empty object when the caller sent none.
  if (certificate.subject === undefined) return undefined
  const root = rootOf(certificate)
  if (root === undefined) return undefined
  const { CN = '', O = [] } = certificate.subject as { readonly CN?: string | string[]; readonly O?: string | string[] }
  return {
    // The last one, as in Go's pkix.Name.
    commonName: [CN].flat().at(-1) ?? '',
    organizations: [O].flat(),
    fingerprint256: certificate.fingerprint256,
    rootFingerprint256: root.fingerprint256,
  }
}

/**
 * Returns the root of a certificate's chain. Checks every signature, because Node.js builds this chain from the
 * certificates that the caller sent, by their names only, and the verified chain may be another one. Undefined when a
 * signature is wrong.
 */
function rootOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate | undefined {
  let current = leaf
  for (;;) {
    const { issuerCertificate: issuer } = current
    if (issuer === undefined || issuer.fingerprint256 === current.fingerprint256) return current
    const authority = new X509Certificate(issuer.raw)
    if (!authority.ca || !new X509Certificate(current.raw).verify(authority.publicKey)) return undefined
    current = issuer
  }
}

function listenError(address: string, flag: string, error: NodeJS.ErrnoException): ListenError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'this user may not use the port',
    EADDRNOTAVAIL: 'this machine has no such address',
  }
  return new ListenError(`listen for health and metrics on ${address}: ${reasons[error.code ?? ''] ?? error.message}`, {
    code: 'BERTH_LISTEN_FAILED',
    cause: error,
    hint: `Choose another ${flag}. Port 0 selects any free port.`,
  })
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { checks, registry, pages, stop, checkDeadlineMs = 2_000, authorize = refuseRemoteCaller }: StartHealthServerOptions,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return send(response, 405, 'method not allowed\n')
  }
  // A caller can send any text here: as a relative URL, `//` would have an empty host.
  const { url: target = '/' } = request
  if (!target.startsWith('/')) return send(response, 404, 'not found\n')
  const url = new URL(`http://health${target}`)
  const [, word = '', name] = url.pathname.split('/')
  const endpoint = word === 'healthz' ? 'livez' : word
  if (endpoint !== 'livez' && endpoint !== 'readyz') {
    const page =
      url.pathname === '/metrics' && registry !== undefined ? metricsPage(registry) : pages?.get(url.pathname)
    // Before the authorization, which may ask the API server: a caller can make up any number of paths.
    if (page === undefined) return send(response, 404, 'not found\n')
    const refusal = await authorize(accessRequest(request, response, url.pathname))
    if (refusal !== undefined) return send(response, refusal.status, `${refusal.reason}\n`)
    const text = await page.text(url.searchParams)
    return text === undefined ? send(response, 404, 'not found\n') : send(response, 200, text, page.contentType)
  }
  const excluded = new Set(url.searchParams.getAll('exclude'))
  const asked = [ping, ...stopCheck(stop), ...checks].filter(
    (check) => (check.endpoints ?? ['readyz']).includes(endpoint) && !excluded.has(check.name),
  )
  const selected = name === undefined ? asked : asked.filter((check) => check.name === name)
  if (selected.length === 0 && name !== undefined) return send(response, 404, `no check named "${name}"\n`)
  const { isOk, text } = await runHealthChecks(endpoint, selected, checkDeadlineMs)
  return send(response, isOk ? 200 : 500, isOk && !url.searchParams.has('verbose') ? 'ok' : text)
}

function metricsPage(registry: MetricsText): Page {
  return { contentType: registry.contentType, text: () => registry.metrics() }
}

function accessRequest(
  { headers, headersDistinct, socket }: IncomingMessage,
  response: ServerResponse,
  path: string,
): AccessRequest {
  const closed = new AbortController()
  response.once('close', () => closed.abort(new Error('the connection closed')))
  const [, token] = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? '') ?? []
  const { remoteAddress: address = '' } = socket
  const isLoopback = isLoopbackAddress(address)
  const clientCertificate = clientCertificateOf(socket)
  return { path, token, address, clientCertificate, headers: headersDistinct, isLoopback, signal: closed.signal }
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
