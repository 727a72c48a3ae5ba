import { TLSSocket } from 'node:tls'
import type { ApiResponse, Clock } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access/cluster-access.ts'
import { orAborted } from '../async/abortable.ts'
import type { Connection } from './connection.ts'
import { closedFailure } from '../errors/transport-error.ts'
import { transportFailure } from './transport-failure.ts'
import { isWithheld, withheldFailure, type FencedRequest } from './fenced-request.ts'
import { openH1Connection } from './h1-connection.ts'
import { openH2Connection } from './h2-connection.ts'
import { openSocket, tlsOptions } from './open-socket.ts'

const H1_ONLY = { ALPNProtocols: ['http/1.1'] }

/** One kept connection with a purpose of its own, opened on first use and replaced when it ends. */
export interface Lane {
  exchange(request: FencedRequest, credentials: Credentials): Promise<ApiResponse>
  close(): void
}

/** What {@link createLane} needs. */
export interface LaneOptions {
  readonly access: ClusterAccess
  readonly clock: Clock
  /** Whether HTTP/2 is not offered. */
  readonly isHttp1Only: boolean
  /** Parallel connections where HTTP/1.1 is spoken. */
  readonly maxSockets: number
}

/** Makes a lane; nothing is connected yet. */
export function createLane(options: LaneOptions): Lane {
  const { access } = options
  let current: { readonly connection: Connection; readonly made: Credentials } | undefined
  let opening: Promise<Connection> | undefined
  let isClosed = false

  const open = async (credentials: Credentials): Promise<Connection> => {
    const connection = await openConnection(credentials, options)
    if (isClosed) {
      connection.destroy()
      throw closedFailure('connect')
    }
    current?.connection.retire()
    current = { connection, made: credentials }
    return connection
  }

  return {
    async exchange(request, credentials) {
      if (isClosed) throw closedFailure(`${request.method} ${request.path}`)
      let connection: Connection
      if (current !== undefined && current.connection.isUsable() && hasSameTls(current.made, credentials)) {
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
      // To connect may have taken long.
      if (isWithheld(request)) throw withheldFailure(request)
      return connection.exchange(request)
    },
    close() {
      isClosed = true
      current?.connection.destroy()
      current = undefined
    },
  }
}

/** A connection lives as long as the certificates that it was made with. */
function hasSameTls(a: Credentials, b: Credentials): boolean {
  return a.cert === b.cert && a.ca === b.ca
}

async function openConnection(credentials: Credentials, options: LaneOptions): Promise<Connection> {
  const { access, clock, isHttp1Only, maxSockets } = options
  const { server } = access
  const tls = tlsOptions(access, credentials)
  const through =
    access.proxyUrl === undefined ? {} : { connectSocket: () => openSocket(access, { ...tls, ...H1_ONLY }, clock) }
  if (tls === undefined) {
    const connectSocket = () => openSocket(access, undefined, clock)
    return openH1Connection({ server, tls, maxSockets, ...(access.proxyUrl === undefined ? {} : { connectSocket }) })
  }
  if (isHttp1Only) return openH1Connection({ server, tls, maxSockets, ...through })
  const socket = await openSocket(access, tls, clock)
  if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') return openH2Connection({ server, socket, clock })
  socket.destroy()
  return openH1Connection({ server, tls, maxSockets, ...through })
}
