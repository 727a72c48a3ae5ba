import type { Server as HttpServer } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { connectionKey, trackConnections } from '@berth/process/health'

/** Options of {@link guardConnections}. */
export interface ConnectionGuardOptions {
  /** Maximum number of connections of callers that have proved who they are. */
  readonly maxConnections: number
  /** Returns whether the caller of a TLS connection may call. Default: every caller whose handshake is complete. */
  readonly isAllowed?: ((socket: Socket) => boolean) | undefined
  /** Called with the number of connections that were closed for newer ones so far. */
  readonly onClosed: (count: number) => void
}

/**
 * Connections that have not proved themselves: without a complete TLS handshake and an allowed name, or without a request
 * on plain HTTP. A caller needs a few milliseconds for this, so the oldest one is closed for a newer one.
 */
const MAX_UNPROVED = 256

/**
 * Limits the connections of a server. Idle connections of strangers cannot keep kube-scheduler out, because the oldest of
 * them is closed for each new connection above the limit.
 */
export function guardConnections(
  server: HttpServer | Http2SecureServer,
  isTls: boolean,
  options: ConnectionGuardOptions,
): void {
  let closed = 0
  server.maxConnections = options.maxConnections + MAX_UNPROVED
  const unproved = trackConnections(server, () => {
    if (unproved.size <= MAX_UNPROVED) return
    const [oldestKey, oldest] = unproved.entries().next().value ?? []
    if (oldestKey === undefined) return
    unproved.delete(oldestKey)
    closed += 1
    oldest?.destroy()
    options.onClosed(closed)
  })
  const prove = (socket: Socket): void => void unproved.delete(connectionKey(socket))
  const { isAllowed = () => true } = options
  if (isTls) server.on('secureConnection', (socket: Socket) => void (isAllowed(socket) && prove(socket)))
  else server.on('request', ({ socket }: { readonly socket: Socket }) => prove(socket))
}
