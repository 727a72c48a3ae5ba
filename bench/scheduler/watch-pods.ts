import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type Reflector, resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { connectClient, type ConnectedClient } from '../connect-client.ts'

/** A client of the API server with a mirror of its pods. */
export interface PodWatcher extends ConnectedClient {
  readonly mirror: Reflector<Pod>
}

/** Connects to the API server and waits until all of its pods are mirrored. */
export async function watchPods(server: RealApiServer): Promise<PodWatcher> {
  await using stack = new AsyncDisposableStack()
  const { cluster } = stack.use(connectClient(server))
  const mirror = cluster.reflect<Pod>(resourceRefs.pods)
  await mirror.waitForSync()
  const owned = stack.move()
  return { cluster, mirror, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
