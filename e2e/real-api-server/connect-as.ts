import { systemClock } from '@berth/clock'
import { connectCluster, type Cluster } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'
import type { Identity, RealApiServer } from './real-api-server.ts'

/** Connects to a real API server as a user, without a rate limit. */
export function connectAs(server: RealApiServer, identity: Identity): Cluster {
  return connectCluster({
    access: server.access(identity),
    clock: systemClock(),
    random: Math.random,
    log: silentLogger,
    qps: 0,
    userAgent: 'e2e/1',
  })
}
