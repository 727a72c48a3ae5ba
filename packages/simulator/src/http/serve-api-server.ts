import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { ApiHandler } from '@berth/types'
import { refusalResponse, unauthorized } from '@berth/embedded-api-server'
import { createCertificates, type ServingCertificates } from './certificates.ts'
import { kubeconfigText } from './kubeconfig-text.ts'
import { exchange, sendResponse } from './exchange.ts'
import { SimulatorStartError } from './simulator-error.ts'

/** Where and how to serve. */
export interface ServeOptions {
  /** Default: loopback. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** Default: made on the spot. */
  readonly tls?: ServingCertificates
  /** Bearer token of the one user, an admin. Default: random. */
  readonly token?: string
  /** Wall clock in milliseconds, for the certificates. Default: the system's. */
  readonly now?: () => number
}

/** An API server behind HTTPS. Disposing ends every connection, watches included. */
export interface ServedApi extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly token: string
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string
  /** A kubeconfig for the admin, or for whoever has the token. */
  kubeconfig(token?: string): string
}

/** Paths that answer without a token, as `system:public-info-viewer` allows. */
const PUBLIC = new Set(['/healthz', '/livez', '/readyz', '/version'])

/**
 * Serves a handler over HTTPS, HTTP/1.1 and HTTP/2 alike.
 *
 * @throws BERTH_SIMULATOR_LISTEN where the address cannot be had.
 */
export async function serveApiServer(
  server: { readonly handle: ApiHandler },
  options: ServeOptions = {},
): Promise<ServedApi> {
  const { host = '127.0.0.1', port = 0, token = randomBytes(24).toString('hex') } = options
  const tls = options.tls ?? (await createCertificates(host, (options.now ?? Date.now)()))
  const isAuthorized = tokenTest(token)
  const open = new Set<AbortController>()
  const sockets = new Set<Socket>()

  const http = createSecureServer({ key: tls.key, cert: tls.cert, allowHTTP1: true }, (request, response) => {
    void answer(request, response)
  })
  http.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  http.on('sessionError', () => undefined)
  http.on('tlsClientError', () => undefined)

  async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const abort = new AbortController()
    open.add(abort)
    response.once('close', () => {
      open.delete(abort)
      abort.abort()
    })
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const { authorization } = request.headers
    const isAdmin = isAuthorized(authorization)
    // Within the process, who brings no token is the admin.
    if (isAdmin || PUBLIC.has(path)) delete request.headers.authorization
    else if (!(await isAccount(server.handle, authorization))) {
      return sendResponse(response, refusalResponse(unauthorized()), abort.signal)
    }
    await exchange(server.handle, request, response, abort.signal)
  }

  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new SimulatorStartError(
          `listen on ${host}:${port}: ${cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message}`,
          {
            code: 'BERTH_SIMULATOR_LISTEN',
            cause,
            hint: 'Choose another port with --port, or 0 for any free one.',
          },
        ),
      )
    })
    http.listen(port, host, resolve)
  })
  const bound = (http.address() as AddressInfo).port
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${bound}`

  return {
    url,
    port: bound,
    token,
    ca: tls.ca,
    kubeconfig: (own = token) => kubeconfigText({ url, ca: tls.ca, token: own }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      for (const abort of open) abort.abort()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Whether the server behind knows the token of a header: it is asked as anybody can ask it. */
async function isAccount(handle: ApiHandler, header = ''): Promise<boolean> {
  const token = /^Bearer (\S+)$/i.exec(header)?.[1]
  if (token === undefined) return false
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
  const { status, body } = await handle({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(review)),
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  if (status !== 201) return false
  return (JSON.parse(text) as { readonly status?: { readonly authenticated?: boolean } }).status?.authenticated === true
}

function tokenTest(token: string): (header: string | undefined) => boolean {
  const expected = Buffer.from(`Bearer ${token}`)
  return (header = '') => {
    const given = Buffer.from(header)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
