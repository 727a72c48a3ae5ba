import { once } from 'node:events'
import { createSecureServer, type ServerHttp2Session } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { generate } from 'selfsigned'
import type { ClusterAccess, Credentials } from '../src/index.ts'

/** A TLS server on loopback that counts its connections. */
export interface TlsServer extends AsyncDisposable {
  readonly access: ClusterAccess
  /** PEM of its key and certificate, for another server with the same trust. */
  readonly secrets: { readonly key: string; readonly cert: string }
  readonly connections: () => number
  /** Number of started connections, including failed handshakes. */
  readonly attempts: () => number
  readonly sessions: ReadonlySet<ServerHttp2Session>
  readonly sockets: ReadonlySet<Socket>
  /** Accepts client certificates of this authority only, from the next connection on. */
  acceptClientsOf(authority: string): void
}

export interface TlsServerOptions {
  readonly protocol: 'h2' | 'http/1.1' | 'both'
  /** Also answers HTTP/2 requests, through Node's compatibility API. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly access?: Partial<ClusterAccess>
  /** End and names of the certificate. Default: a year from now, loopback. */
  readonly certificate?: { readonly notAfter?: Date; readonly names?: readonly string[] }
  /** PEM of the authority of client certificates. Default: the server requests none. */
  readonly clientAuthority?: string
}

export async function startTlsServer(options: TlsServerOptions): Promise<TlsServer> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    ...(options.certificate?.notAfter === undefined
      ? {}
      : { notBeforeDate: new Date(0), notAfterDate: options.certificate.notAfter }),
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames:
          options.certificate?.names?.map((value) => ({ type: 2 as const, value })) ??
          ([
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
          ] as const),
      },
    ],
  })
  const answer = options.answer as (request: unknown, response: unknown) => void
  const secrets = { key: pems.private, cert: pems.cert }
  const { clientAuthority } = options
  const clientAuth = (ca: string) => ({ requestCert: true, rejectUnauthorized: true, ca })
  const tls = { ...secrets, ...(clientAuthority === undefined ? {} : clientAuth(clientAuthority)) }
  const server =
    options.protocol !== 'http/1.1'
      ? createSecureServer({ ...tls, allowHTTP1: options.protocol === 'both' }, answer)
      : createHttpsServer({ ...tls, ALPNProtocols: ['http/1.1'] }, answer)
  const sockets = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  let connections = 0
  let attempts = 0
  server.on('connection', () => void (attempts += 1))
  server.on('secureConnection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.on('error', () => undefined)
    session.once('close', () => sessions.delete(session))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const none: Credentials = { headers: {} }
  return {
    sockets,
    sessions,
    secrets,
    connections: () => connections,
    attempts: () => attempts,
    acceptClientsOf: (ca) => server.setSecureContext({ ...secrets, ca }),
    access: {
      source: 'test',
      context: 'test',
      server: `https://127.0.0.1:${port}`,
      namespace: undefined,
      ca: pems.cert,
      tlsServerName: undefined,
      skipTlsVerify: false,
      credentials: () => Promise.resolve(none),
      ...options.access,
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
