import type { Server, Socket } from 'node:net'

/**
 * Tracks the open connections of a server.
 *
 * @param onOpen - Called with the key of each new connection, which is in the map already.
 * @returns The connections by {@link connectionKey}, oldest first. The caller may delete those that it no longer tracks.
 */
export function trackConnections(server: Server, onOpen: (key: string) => void): Map<string, Socket> {
  const open = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket)
    open.set(key, socket)
    socket.once('close', () => {
      if (open.get(key) === socket) open.delete(key)
    })
    onOpen(key)
  })
  return open
}

/** Returns a text that is equal for a TLS connection and its TCP connection, which are different sockets. */
export function connectionKey({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
