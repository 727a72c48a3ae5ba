import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Clock } from '@berth/types'
import type { ClusterAccess, Credentials } from '../access/cluster-access.ts'
import { openTunnel } from './open-tunnel.ts'
import { endpointOf } from './url-endpoint.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** Returns the TLS options for the API server; undefined for an http URL. */
export function tlsOptions(access: ClusterAccess, credentials: Credentials): ConnectionOptions | undefined {
  const { hostname, protocol } = new URL(access.server)
  if (protocol === 'http:') return undefined
  const ca = credentials.ca ?? access.ca
  // An IP address is not valid as a server name.
  const name = access.tlsServerName ?? (isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : undefined)
  return {
    rejectUnauthorized: !access.skipTlsVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(name === undefined ? {} : { servername: name }),
    ...(credentials.cert === undefined ? {} : { cert: credentials.cert }),
    ...(credentials.key === undefined ? {} : { key: credentials.key }),
  }
}

/** Connects to the API server, through the proxy if there is one. */
export async function openSocket(
  access: ClusterAccess,
  tls: ConnectionOptions | undefined,
  clock: Clock,
): Promise<Socket | TLSSocket> {
  const { host, port } = endpointOf(new URL(access.server), tls === undefined ? 80 : 443)
  const timeout = new AbortController()
  const timer = clock.setTimer(CONNECT_TIMEOUT_MS, () =>
    timeout.abort(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
  )
  try {
    const { signal } = timeout
    const { proxyUrl } = access
    const tunnel = proxyUrl === undefined ? undefined : await openTunnel({ ...access, proxyUrl }, host, port, signal)
    if (tls === undefined) return tunnel ?? (await connected(connectPlain({ host, port }), 'connect', signal))
    const route = tunnel === undefined ? { host, port } : { host, socket: tunnel }
    return await connected(connectTls({ ...route, ALPNProtocols: ['h2', 'http/1.1'], ...tls }), 'secureConnect', signal)
  } catch (error) {
    throw timeout.signal.aborted ? timeout.signal.reason : error
  } finally {
    timer.cancel()
  }
}

function connected<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void socket.destroy(signal.reason as Error)
    const end = (): void => {
      signal.removeEventListener('abort', giveUp)
      socket.off('error', fail)
    }
    const fail = (error: Error): void => {
      end()
      reject(error)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('error', fail)
    socket.once(event, () => {
      end()
      socket.setNoDelay(true)
      socket.setKeepAlive(true, 30_000)
      resolve(socket)
    })
  })
}
