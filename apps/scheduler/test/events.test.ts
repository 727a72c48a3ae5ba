import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, Event } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { startTestCluster, type TestCluster } from './test-cluster.ts'

/** The defaults of `clientConnection`. */
const QPS = 1_000

async function createPods(cluster: TestCluster, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await cluster.createPod(`web-${i}`)
}

/** Names of the pods with an event of this reason, without duplicates. */
async function podsWithEvent(cluster: TestCluster, reason: string): Promise<ReadonlySet<string>> {
  const { items } = await cluster.admin.client.list<Event>(resourceRefs.events, { namespace: 'default' })
  return new Set(items.filter((event) => event.reason === reason).map(({ regarding }) => regarding.name ?? ''))
}

async function boundPods(cluster: TestCluster): Promise<number> {
  let count = 0
  for (const { spec } of cluster.view.pods()) if (spec.nodeName !== undefined) count += 1
  return count
}

const isEventWrite = (path: string): boolean => path.startsWith('/apis/events.k8s.io/')

test('leaves a Scheduled event for every pod with default settings', async () => {
  await using cluster = await startTestCluster({ qps: QPS })
  await createPods(cluster, 4_000)
  await cluster.createNode('node-a', { pods: '10000' })
  await cluster.clock.advance(8_000)
  expect(await boundPods(cluster)).toBe(4_000)
  await cluster.clock.advance(1_500)
  expect((await podsWithEvent(cluster, 'Scheduled')).size).toBe(4_000)
})
