import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { ApiRequest, ApiResponse, Clock } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access.ts'
import { orAborted } from '../abortable.ts'
import type { Connection } from './connection.ts'
import { closedFailure, transportFailure } from './failure.ts'
import { openH1Connection } from './h1-connection.ts'
import { openH2Connection } from './h2-connection.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** One kept connection with a purpose of its own, opened on first use and replaced when it ends. */
export interface Lane {
  exchange(request: ApiRequest, credentials: Credentials): Promise<ApiResponse>
  close(): void
}

/** What {@link createLane} needs. */
export interface LaneOptions {
  readonly access: ClusterAccess
  readonly clock: Clock
  /** Parallel connections where the server speaks HTTP/1.1 only. */
  readonly maxSockets: number
}

/** Makes a lane; nothing is connected yet. */
export function createLane(options: LaneOptions): Lane {
  const { access, clock, maxSockets } = options
  let current: { readonly connection: Connection; readonly cert: string | undefined } | undefined
  let opening: Promise<Connection> | undefined
  let isClosed = false

  const open = async (credentials: Credentials): Promise<Connection> => {
    const connection = await openConnection(access, credentials, clock, maxSockets)
    if (isClosed) {
      connection.destroy()
      throw closedFailure('connect')
    }
    current?.connection.retire()
    current = { connection, cert: credentials.cert }
    return connection
  }

  return {
    async exchange(request, credentials) {
      if (isClosed) throw closedFailure(`${request.method} ${request.path}`)
      let connection: Connection
      if (current !== undefined && current.connection.isUsable() && current.cert === credentials.cert) {
        connection = current.connection
      } else {
        opening ??= open(credentials).finally(() => {
          opening = undefined
        })
        try {
          connection = await orAborted(opening, request.signal)
        } catch (error) {
          throw transportFailure(error, { server: access.server, request, isSent: false })
        }
      }
      return connection.exchange(request)
    },
    close() {
      isClosed = true
      current?.connection.destroy()
      current = undefined
    },
  }
}

async function openConnection(
  access: ClusterAccess,
  credentials: Credentials,
  clock: Clock,
  maxSockets: number,
): Promise<Connection> {
  const { server } = access
  if (server.startsWith('http:')) return openH1Connection({ server, tls: undefined, maxSockets })
  const tls = tlsOptions(access, credentials)
  const socket = await openSocket(server, tls, clock)
  if (socket.alpnProtocol === 'h2') return openH2Connection({ server, socket, clock })
  socket.destroy()
  return openH1Connection({ server, tls, maxSockets })
}

function tlsOptions(access: ClusterAccess, credentials: Credentials): ConnectionOptions {
  return {
    rejectUnauthorized: !access.skipTlsVerify,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
    ...(access.tlsServerName === undefined ? {} : { servername: access.tlsServerName }),
    ...(credentials.cert === undefined ? {} : { cert: credentials.cert }),
    ...(credentials.key === undefined ? {} : { key: credentials.key }),
  }
}

function openSocket(server: string, tls: ConnectionOptions, clock: Clock): Promise<TLSSocket> {
  const url = new URL(server)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? 443 : Number(url.port)
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, ALPNProtocols: ['h2', 'http/1.1'], ...tls })
    const timer = clock.setTimer(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    )
    const fail = (error: Error): void => {
      timer.cancel()
      reject(error)
    }
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      timer.cancel()
      socket.off('error', fail)
      socket.setNoDelay(true)
      socket.setKeepAlive(true, 30_000)
      resolve(socket)
    })
  })
}
