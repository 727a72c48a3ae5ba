import { resourceRefs } from '@berth/k8s-client'
import type { ApiHandler, ApiRequest, ApiResponse, Event } from '@berth/types'
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

function boundPods(cluster: TestCluster): number {
  let count = 0
  for (const { spec } of cluster.view.pods()) if (spec.nodeName !== undefined) count += 1
  return count
}

test('leaves a Scheduled event for every pod with default settings', async () => {
  await using cluster = await startTestCluster({ qps: QPS })
  await createPods(cluster, 3_000)
  await cluster.createNode('node-a', { pods: '10000' })
  await cluster.clock.advance(4_000)
  expect(boundPods(cluster)).toBe(3_000)
  await cluster.clock.advance(1_500)
  expect((await podsWithEvent(cluster, 'Scheduled')).size).toBe(3_000)
})

describe('binds every pod while the events API', () => {
  test.for([
    { it: 'answers 500', respond: () => statusResponse(500) },
    { it: 'answers 403', respond: () => statusResponse(403) },
    { it: 'hangs', respond: hang },
  ])('$it', async ({ respond }) => {
    const intercept =
      (handle: ApiHandler): ApiHandler =>
      (request) =>
        request.path.startsWith('/apis/events.k8s.io/') ? respond(request) : handle(request)
    await using cluster = await startTestCluster({ qps: QPS, intercept })
    await createPods(cluster, 2_500)
    await cluster.createNode('node-a', { pods: '10000' })
    await cluster.clock.advance(7_000)
    expect(boundPods(cluster)).toBe(2_500)
  })
})

test('counts every event that is dropped, and why', async () => {
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    (request) =>
      request.path.startsWith('/apis/events.k8s.io/') ? statusResponse(403) : handle(request)
  await using cluster = await startTestCluster({ intercept })
  await createPods(cluster, 10)
  await cluster.createNode('node-a', {})
  await cluster.clock.advance(60_000)
  expect(boundPods(cluster)).toBe(10)
  const { values } = await cluster.metrics.eventsDropped.get()
  const scheduled = values.filter(({ labels }) => labels.reason === 'Scheduled')
  expect(scheduled.map(({ value }) => value)).toEqual([10])
})

test('binds pods while the conditions of 1,500 unschedulable pods cannot be written, and writes the newest of each', async () => {
  let isHanging = true
  const patches: string[] = []
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    (request) => {
      if (request.method !== 'PATCH' || !request.path.includes('/status')) return handle(request)
      if (isHanging) return hang(request)
      patches.push(request.path)
      return handle(request)
    }
  await using cluster = await startTestCluster({ intercept })
  await cluster.createNode('node-a', { pods: '10000' })
  const pod = { requests: { cpu: '100' }, spec: { nodeSelector: { disk: 'ssd' } } }
  for (let i = 0; i < 1_500; i++) await cluster.createPod(`big-${i}`, pod)
  await cluster.clock.advance(1_000)
  await cluster.createPod('web')
  await cluster.clock.advance(500)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  // Changes the message of the condition, so that each pod has a newer report.
  await cluster.createNode('node-b', {}, { labels: { disk: 'ssd' } })
  await cluster.clock.advance(3_000)
  isHanging = false
  await cluster.clock.advance(40_000)
  const { status } = await cluster.pod('big-1499')
  expect(status?.conditions).toMatchObject([{ message: expect.stringContaining('0/2 nodes') as string }])
  expect(patches.filter((path) => path.includes('/big-1499/'))).toHaveLength(1)
})

function statusResponse(code: number): Promise<ApiResponse> {
  const text = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'not today' })
  return Promise.resolve({ status: code, headers: {}, body: bodyOf(text) })
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function hang({ signal }: ApiRequest): Promise<ApiResponse> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
