import { createTestClock, seededRandom, type TestClock } from '@berth/clock/testing'
import { callJson, type CallOptions, type JsonResponse } from '@berth/embedded-api-server/testing'
import { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from '../cluster/embedded-cluster.ts'
import type { ApiRequest } from '@berth/types'

/** An embedded cluster in virtual time, with a default scheduler. */
export interface VirtualCluster extends EmbeddedCluster {
  readonly clock: TestClock
  call(method: ApiRequest['method'], path: string, options?: CallOptions): Promise<JsonResponse>
}

/** Starts a cluster whose clock only advances when a test advances it. The same seed gives the same results. */
export async function startVirtualCluster(
  options: Omit<Partial<EmbeddedClusterOptions>, 'clock' | 'random'> = {},
  seed = 1,
): Promise<VirtualCluster> {
  const clock = createTestClock()
  const random = seededRandom(seed)
  const cluster = await startEmbeddedCluster({ nodes: 3, serve: false, schedulesPods: true, ...options, clock, random })
  return { ...cluster, clock, call: (method, path, sent) => callJson(cluster.handle, method, path, sent) }
}
