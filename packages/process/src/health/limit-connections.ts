import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Kubelet and Prometheus need a handful. */
const DEFAULT_MAX_CONNECTIONS = 128

/**
 * Limits the open connections of a server. For each new one above the limit, the oldest one without a request is closed, or the
 * oldest one of all if each has a request: idle connections of strangers cannot keep the kubelet's probes out.
 */
export function limitConnections(server: Server, maxConnections: number = DEFAULT_MAX_CONNECTIONS): void {
  const open = new Map<string, Socket>()
  const busy = new Set<string>()
  server.on('connection', (socket: Socket) => {
    // A TLS connection and its TCP connection are different sockets with the same addresses.
    const key = addressOf(socket)
    open.set(key, socket)
    socket.once('close', () => {
      if (open.get(key) === socket) open.delete(key)
    })
    if (open.size <= maxConnections) return
    const keys = [...open.keys()]
    const oldest = keys.find((each) => !busy.has(each) && each !== key) ?? keys[0] ?? key
    open.get(oldest)?.destroy()
    open.delete(oldest)
  })
  server.on('request', ({ socket }, response) => {
    const key = addressOf(socket)
    busy.add(key)
    response.once('close', () => void busy.delete(key))
  })
}

function addressOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
