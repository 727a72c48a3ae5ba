import type { Server } from 'node:http'
import { connectionKey, trackConnections } from './track-connections.ts'

/** Kubelet and Prometheus need a handful. */
const DEFAULT_MAX_CONNECTIONS = 128

/**
 * Limits the open connections of a server. For each new connection above the limit, closes the oldest one without a
 * request, or the oldest of all if each has a request. Idle connections of other clients thus cannot block the
 * kubelet's probes.
 */
export function limitConnections(server: Server, maxConnections: number = DEFAULT_MAX_CONNECTIONS): void {
  const busy = new Set<string>()
  const open = trackConnections(server, (key) => {
    if (open.size <= maxConnections) return
    const keys = [...open.keys()]
    const oldest = keys.find((each) => !busy.has(each) && each !== key) ?? keys[0] ?? key
    open.get(oldest)?.destroy()
    open.delete(oldest)
  })
  server.on('request', ({ socket }, response) => {
    const key = connectionKey(socket)
    busy.add(key)
    response.once('close', () => void busy.delete(key))
  })
}
