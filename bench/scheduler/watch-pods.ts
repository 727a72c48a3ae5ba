import { systemClock } from '@berth/clock'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type Cluster, connectCluster, connectTransport, type Reflector, resourceRefs } from '@berth/k8s-client'
import { type Pod, silentLogger } from '@berth/types'

/** A client of the API server with a mirror of its pods. */
export interface PodWatcher extends AsyncDisposable {
  readonly cluster: Cluster
  readonly mirror: Reflector<Pod>
}

/** Connects to the API server and waits until all of its pods are mirrored. */
export async function watchPods(server: RealApiServer): Promise<PodWatcher> {
  const clock = systemClock()
  const log = silentLogger
  await using stack = new AsyncDisposableStack()
  const transport = stack.use(connectTransport(server.access(), { log, clock }))
  const parts = { handler: transport.handle, log, clock, random: Math.random, userAgent: 'bench/1', qps: 0 }
  const cluster = stack.use(connectCluster(parts))
  const mirror = cluster.reflect<Pod>(resourceRefs.pods)
  await mirror.waitForSync()
  const owned = stack.move()
  return { cluster, mirror, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
