import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ApiResponse, Clock } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access/cluster-access.ts'
import { orAborted } from '../async/or-aborted.ts'
import type { Connection } from './connection.ts'
import { closedError } from '../errors/transport-error.ts'
import { toTransportError } from './to-transport-error.ts'
import { isWithheld, withheldError, type FencedRequest } from './fenced-request.ts'
import { openH1Connection } from './h1-connection.ts'
import { openH2Connection } from './h2-connection.ts'
import { openSocket, tlsOptions } from './open-socket.ts'

const H1_ONLY = { ALPNProtocols: ['http/1.1'] }

/** A connection that is opened on first use and replaced when it ends. */
export interface PersistentConnection {
  send(request: FencedRequest, credentials: Credentials): Promise<ApiResponse>
  close(): void
}

/** Options of {@link createPersistentConnection}. */
export interface PersistentConnectionOptions {
  readonly access: ClusterAccess
  /** Returns the credentials for a new connection. */
  readonly credentialsToConnect: () => Promise<Credentials>
  readonly clock: Clock
  /** True if HTTP/2 is not offered. */
  readonly isHttp1Only: boolean
  /** Maximum of parallel connections over HTTP/1.1. */
  readonly maxSockets: number
}

/** Creates a persistent connection that connects on first use. */
export function createPersistentConnection(options: PersistentConnectionOptions): PersistentConnection {
  const { access } = options
  let current: { readonly connection: Connection; readonly openedWith: Credentials } | undefined
  let opening: Promise<Connection> | undefined
  let isClosed = false

  const open = async (known: Credentials): Promise<Connection> => {
    const credentials = await options.credentialsToConnect().catch(() => known)
    const connection = await openConnection(credentials, options)
    if (isClosed) {
      connection.destroy()
      throw closedError('connect')
    }
    current?.connection.retire()
    current = { connection, openedWith: credentials }
    return connection
  }

  return {
    async send(request, credentials) {
      if (isClosed) throw closedError(`${request.method} ${request.path}`)
      let connection: Connection
      if (current !== undefined && current.connection.isUsable() && hasSameTls(current.openedWith, credentials)) {
        connection = current.connection
      } else {
        opening ??= open(credentials).finally(() => {
          opening = undefined
        })
        try {
          connection = await orAborted(opening, request.signal)
        } catch (error) {
          throw toTransportError(error, { server: access.server, request, isSent: false })
        }
      }
      // Checked again, because connecting may have taken long.
      if (isWithheld(request)) throw withheldError(request)
      return connection.send(request)
    },
    close() {
      isClosed = true
      current?.connection.destroy()
      current = undefined
    },
  }
}

/** Returns whether two credentials have the same certificates. If they change, the connection is replaced. */
function hasSameTls(a: Credentials, b: Credentials): boolean {
  return a.cert === b.cert && a.ca === b.ca
}

async function openConnection(credentials: Credentials, options: PersistentConnectionOptions): Promise<Connection> {
  const { access, clock, isHttp1Only, maxSockets } = options
  const { server } = access
  const tls = tlsOptions(access, credentials)
  if (tls === undefined) {
    const connectSocket = () => openSocket(access, undefined, clock)
    return openH1Connection({ server, tls, maxSockets, ...(access.proxyUrl === undefined ? {} : { connectSocket }) })
  }
  // The pool opens connections at any later time, so each of them gets the certificates of that time.
  const connectSocket = async (): Promise<Socket> => {
    const current = await options.credentialsToConnect().catch(() => credentials)
    return openSocket(access, { ...tlsOptions(access, current), ...H1_ONLY }, clock)
  }
  if (isHttp1Only) return openH1Connection({ server, tls, maxSockets, connectSocket })
  const socket = await openSocket(access, tls, clock)
  if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') return openH2Connection({ server, socket, clock })
  socket.destroy()
  return openH1Connection({ server, tls, maxSockets, connectSocket })
}
