import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { ApiHandler } from '@berth/types'
import { errorResponse, unauthorized } from '@berth/embedded-api-server'
import { createCertificates, type ServingCertificates } from './certificates.ts'
import { kubeconfigText } from './kubeconfig-text.ts'
import { handleExchange, sendResponse } from './handle-exchange.ts'
import { SimulatorStartError } from '../simulator-start-error.ts'

/** Options of {@link serveApiServer}. */
export interface ServeOptions {
  /** Default: loopback. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
  /** Default: newly created certificates. */
  readonly tls?: ServingCertificates
  /** Bearer token of the admin. Every other token must pass a TokenReview. Default: random. */
  readonly token?: string
  /** Returns the wall-clock time in milliseconds, for the certificates. Default: the system's. */
  readonly now?: () => number
}

/** An API server behind HTTPS. Disposing closes every connection, including watches. */
export interface ServedApi extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Bearer token of the admin. */
  readonly token: string
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string
  /** Returns a kubeconfig for the admin, or for the user of another token. */
  kubeconfig(token?: string): string
}

/** Paths that need no token, as `system:public-info-viewer` allows. */
const PUBLIC_PATHS = new Set(['/healthz', '/livez', '/readyz', '/version'])

/**
 * Serves a handler over HTTPS, with HTTP/1.1 and HTTP/2.
 *
 * @throws BERTH_SIMULATOR_LISTEN when the server cannot listen on the address.
 */
export async function serveApiServer(
  server: { readonly handle: ApiHandler },
  options: ServeOptions = {},
): Promise<ServedApi> {
  const { host = '127.0.0.1', port = 0, token = randomBytes(24).toString('hex') } = options
  const tls = options.tls ?? (await createCertificates(host, (options.now ?? Date.now)()))
  const isAdminToken = bearerTokenTest(token)
  const openRequests = new Set<AbortController>()
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
    openRequests.add(abort)
    response.once('close', () => {
      openRequests.delete(abort)
      abort.abort()
    })
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const { authorization } = request.headers
    const isAdmin = isAdminToken(authorization)
    // For the handler, a request without a token is the admin's.
    if (isAdmin || PUBLIC_PATHS.has(path)) delete request.headers.authorization
    else if (!(await isAccepted(server.handle, authorization))) {
      return sendResponse(response, errorResponse(unauthorized()), abort.signal)
    }
    await handleExchange(server.handle, request, response, abort.signal)
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
  const boundPort = (http.address() as AddressInfo).port
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${boundPort}`

  return {
    url,
    port: boundPort,
    token,
    ca: tls.ca,
    kubeconfig: (userToken = token) => kubeconfigText({ url, ca: tls.ca, token: userToken }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      for (const abort of openRequests) abort.abort()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Returns whether the API server accepts the token of a header, according to a TokenReview. */
async function isAccepted(handle: ApiHandler, header = ''): Promise<boolean> {
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

function bearerTokenTest(token: string): (header: string | undefined) => boolean {
  const expected = Buffer.from(`Bearer ${token}`)
  return (header = '') => {
    const given = Buffer.from(header)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
