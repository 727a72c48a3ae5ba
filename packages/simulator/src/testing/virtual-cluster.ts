import { createTestClock, seededRandom, type TestClock } from '@berth/clock/testing'
import { callJson, type CallOptions, type JsonAnswer } from '@berth/embedded-api-server/testing'
import { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from '../cluster/embedded-cluster.ts'
import type { ApiRequest } from '@berth/types'

/** A whole cluster in virtual time, with a scheduler of its own. */
export interface VirtualCluster extends EmbeddedCluster {
  readonly clock: TestClock
  call(method: ApiRequest['method'], path: string, options?: CallOptions): Promise<JsonAnswer>
}

/** Starts a cluster whose clock stands still until it is moved; repeatable by its seed. */
export async function startVirtualCluster(
  options: Omit<Partial<EmbeddedClusterOptions>, 'clock' | 'random'> = {},
  seed = 1,
): Promise<VirtualCluster> {
  const clock = createTestClock()
  const random = seededRandom(seed)
  const cluster = await startEmbeddedCluster({ nodes: 3, serve: false, schedulesPods: true, ...options, clock, random })
  return { ...cluster, clock, call: (method, path, sent) => callJson(cluster.handle, method, path, sent) }
}
