import { systemClock } from '@berth/clock'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type Cluster, connectCluster, connectTransport } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'

/** A client of the API server without a rate limit. */
export interface ConnectedClient extends AsyncDisposable {
  readonly cluster: Cluster
}

/** Connects to the API server. Sends nothing before the first call. */
export function connectClient(server: RealApiServer): ConnectedClient {
  const clock = systemClock()
  const log = silentLogger
  const stack = new AsyncDisposableStack()
  const transport = stack.use(connectTransport(server.access(), { log, clock }))
  const parts = { handler: transport.handle, log, clock, random: Math.random, userAgent: 'bench/1', qps: 0 }
  const cluster = stack.use(connectCluster(parts))
  return { cluster, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
