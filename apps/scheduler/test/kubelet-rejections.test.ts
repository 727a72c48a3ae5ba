import { resourceRefs } from '@berth/k8s-client'
import { expect, test } from 'vitest'
import { type TestCluster, startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'

/** Creates a pod that requests dongles, and returns the node on which it is placed. */
async function place(cluster: TestCluster, name: string, units = 1): Promise<string | undefined> {
  await cluster.createPod(name, { requests: { [DONGLE]: `${units}` } })
  await cluster.settle()
  return (await cluster.pod(name)).spec.nodeName
}

/** Rejects a pod, as the kubelet does. */
async function reject(cluster: TestCluster, name: string, reason = `OutOf${DONGLE}`): Promise<void> {
  const status = { phase: 'Failed', reason }
  const options = { type: 'merge', subresource: 'status' } as const
  await cluster.admin.client.patch(resourceRefs.pods, { namespace: 'default', name }, { status }, options)
  await cluster.settle()
}

async function remove(cluster: TestCluster, name: string): Promise<void> {
  await cluster.deletePod(name)
  await cluster.settle()
}

/** Starts a scheduler that picks the first of equal nodes. */
async function startWith(...nodes: readonly string[]): Promise<TestCluster> {
  const cluster = await startTestCluster()
  for (const name of nodes) await cluster.createNode(name, { [DONGLE]: '8' })
  await cluster.settle()
  return cluster
}

test.for([`OutOf${DONGLE}`, 'OutOfcpu', 'UnexpectedAdmissionError'])(
  'prefers another node for pods with the same requests after the kubelet rejected one: %s',
  async (reason) => {
    await using cluster = await startWith('node-a', 'node-b')
    expect(await place(cluster, 'one')).toBe('node-a')
    await reject(cluster, 'one', reason)
    expect(await place(cluster, 'same')).toBe('node-b')
    await remove(cluster, 'same')
    expect(await place(cluster, 'different', 2)).toBe('node-a')
    expect((await cluster.metrics.kubeletRejections.get()).values).toMatchObject([{ value: 1, labels: { reason } }])
  },
)

test('avoids a node for 10 s, and twice as long after each further rejection up to 5 min', async () => {
  await using cluster = await startWith('node-a', 'node-b')
  const avoidedMs: number[] = []
  for (let round = 0; round < 7; round++) {
    expect(await place(cluster, `rejected-${round}`)).toBe('node-a')
    await reject(cluster, `rejected-${round}`)
    const startMs = cluster.clock.monotonic()
    let at: string | undefined
    for (let i = 0; at !== 'node-a'; i++) {
      if (i > 0) await cluster.clock.advance(5_000)
      at = await place(cluster, `probe-${round}-${i}`)
      await remove(cluster, `probe-${round}-${i}`)
    }
    avoidedMs.push(cluster.clock.monotonic() - startMs)
  }
  expect(avoidedMs).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
  expect(await place(cluster, 'last')).toBe('node-a')
  await cluster.clock.advance(301_000)
  await reject(cluster, 'last')
  await cluster.clock.advance(10_000)
  expect(await place(cluster, 'after-a-while')).toBe('node-a')
})

test('places a pod on a node that rejected one if no other node fits', async () => {
  await using cluster = await startWith('node-a')
  await cluster.createNode('node-b', {})
  expect(await place(cluster, 'one')).toBe('node-a')
  await reject(cluster, 'one')
  expect(await place(cluster, 'two')).toBe('node-a')
})

test('takes no notice of a pod that its creator placed', async () => {
  await using cluster = await startWith('node-a', 'node-b')
  await cluster.createPod('forged', { requests: { [DONGLE]: '1' }, spec: { nodeName: 'node-a' } })
  await cluster.settle()
  // As the kubelet reports before it rejects the pod, when it is restarted.
  const conditions = [{ type: 'PodScheduled', status: 'True' }]
  const status = { startTime: '2026-01-01T00:00:00Z', conditions }
  const options = { type: 'merge', subresource: 'status' } as const
  await cluster.admin.client.patch(resourceRefs.pods, { namespace: 'default', name: 'forged' }, { status }, options)
  await cluster.settle()
  await reject(cluster, 'forged')
  expect(await place(cluster, 'one')).toBe('node-a')
  expect((await cluster.metrics.kubeletRejections.get()).values).toEqual([])
})

test('counts the rejection of a pod that was placed before the scheduler started', async () => {
  await using first = await startWith('node-a', 'node-b')
  expect(await place(first, 'one')).toBe('node-a')
  await first.stop()
  await using second = await startTestCluster({ joins: first })
  await reject(second, 'one')
  expect(await place(second, 'same')).toBe('node-b')
  expect((await second.metrics.kubeletRejections.get()).values).toMatchObject([{ value: 1 }])
})

test('takes no notice of pods of other schedulers and of other failures', async () => {
  await using cluster = await startWith('node-a', 'node-b')
  expect(await place(cluster, 'one')).toBe('node-a')
  await reject(cluster, 'one', 'Evicted')
  const spec = { nodeName: 'node-a' }
  await cluster.createPod('foreign', { schedulerName: 'default-scheduler', requests: { [DONGLE]: '1' }, spec })
  await reject(cluster, 'foreign')
  expect(await place(cluster, 'two')).toBe('node-a')
  expect((await cluster.metrics.kubeletRejections.get()).values).toEqual([])
})
