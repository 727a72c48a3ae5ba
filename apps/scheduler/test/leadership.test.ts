import { fakeClock } from '@berth/clock/testing'
import { connectCluster } from '@berth/k8s-client'
import { createApiServer } from '@berth/simulator'
import { type ApiHandler, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { joinElection } from '../src/leader-election.ts'
import { startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'

/** An API server whose watches deliver nothing while its cache is stale. Reads of the newest state are always fresh. */
function staleCache(): { readonly intercept: (handle: ApiHandler) => ApiHandler; isStale: boolean } {
  const cache = {
    isStale: false,
    intercept: (handle: ApiHandler): ApiHandler => {
      const hold = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) if (!cache.isStale) yield chunk
      }
      return async (request) => {
        const response = await handle(request)
        const isNewest = !request.path.includes('watch=1') || request.path.includes('sendInitialEvents')
        // A WatchList from before the cache became stale goes on as a watch.
        return isNewest && cache.isStale ? response : { ...response, body: hold(response.body) }
      }
    },
  }
  return cache
}

test('decides only on a view as new as the election, although the watch cache is stale', async () => {
  const cache = staleCache()
  const election = Promise.withResolvers<void>()
  await using cluster = await startTestCluster({ intercept: cache.intercept, startAfter: election.promise })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('waiting', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  cache.isStale = true
  // The previous leader places a pod before it loses the Lease.
  await cluster.createPod('placed', { requests: { [DONGLE]: '1' }, spec: { nodeName: 'node-a' } })
  await cluster.settle()
  expect(cluster.view.pod('default/placed')).toBeUndefined()
  election.resolve()
  await cluster.clock.advance(2_000)
  expect(cluster.view.pod('default/placed')).toBeDefined()
  expect((await cluster.pod('waiting')).spec.nodeName).toBeUndefined()
  expect(await cluster.events('waiting')).toEqual([
    expect.stringContaining('0/1 nodes are available: 1 Insufficient example.com/dongle.'),
  ])
})

const lease = {
  isElection: false,
  name: 'berth-scheduler',
  namespace: 'kube-system',
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
}

test('keeps a second replica idle without leader election until the first one ends', async () => {
  const clock = fakeClock()
  const world = { clock, random: () => 0.5, log: silentLogger }
  const api = createApiServer(world)
  await using cluster = connectCluster({ handler: api.handle, ...world, qps: 0, userAgent: 'test' })
  const join = () => joinElection(lease, { client: cluster.client, ...world })
  const first = await join()
  await clock.settle()
  await using second = await join()
  await clock.advance(60_000)
  expect([first.stillLeader(), second.stillLeader()]).toEqual([true, false])
  await first[Symbol.asyncDispose]()
  await clock.advance(5_000)
  expect([first.stillLeader(), second.stillLeader()]).toEqual([false, true])
})

test.for([
  { verb: 'get', method: 'GET' },
  { verb: 'create', method: 'POST' },
])('refuses to start when there is no leader election and "$verb" on leases is forbidden', async (forbidden) => {
  const world = { clock: fakeClock(), random: () => 0.5, log: silentLogger }
  const api = createApiServer(world)
  const handler: ApiHandler = (request) =>
    request.method === forbidden.method
      ? Promise.resolve({ status: 403, headers: {}, body: (async function* () {})() })
      : api.handle(request)
  await using cluster = connectCluster({ handler, ...world, qps: 0, userAgent: 'test' })
  await expect(joinElection(lease, { client: cluster.client, ...world })).rejects.toMatchObject({
    code: 'BERTH_SCHEDULER_LEASE_FORBIDDEN',
    message: expect.stringContaining('use lease kube-system/berth-scheduler: ') as string,
    hint: expect.stringContaining('Grant the verbs "get", "create" and "update" on "leases"') as string,
  })
  await using election = await joinElection({ ...lease, isElection: true }, { client: cluster.client, ...world })
  expect(election.stillLeader()).toBe(false)
})
