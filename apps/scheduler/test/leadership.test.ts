import { fakeClock } from '@berth/clock/testing'
import { connectCluster } from '@berth/k8s-client'
import { defineSchedulingPlugin } from '@berth/plugin-api'
import { createApiServer } from '@berth/simulator'
import { type ApiHandler, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { joinElection } from '../src/leader-election.ts'
import { boundPod } from './pod-group-cluster.ts'
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
  expect([first.mayWrite(), second.mayWrite()]).toEqual([true, false])
  await first[Symbol.asyncDispose]()
  await clock.advance(5_000)
  expect([first.mayWrite(), second.mayWrite()]).toEqual([false, true])
})

test.for([
  { it: 'wins the Lease', answers: true, waitsMs: 0 },
  { it: 'gets no response', answers: false, waitsMs: 500 },
])('waits for the first attempt to take the Lease, which $it, before it reads', async ({ answers, waitsMs }) => {
  const clock = fakeClock()
  const world = { clock, random: () => 0.5, log: silentLogger }
  const api = createApiServer(world)
  const handler: ApiHandler = (request) => (answers ? api.handle(request) : new Promise(() => undefined))
  await using cluster = connectCluster({ handler, ...world, qps: 0, userAgent: 'test' })
  const terms = await joinElection({ ...lease, isElection: true }, { client: cluster.client, ...world })
  const startedMs = clock.monotonic()
  let waitedMs = -1
  const wait = async (): Promise<void> => {
    await terms.whenTried(new AbortController().signal)
    waitedMs = clock.monotonic() - startedMs
  }
  const waiting = wait()
  await clock.settle()
  expect(waitedMs).toBe(answers ? 0 : -1)
  await clock.advance(500)
  await waiting
  expect(waitedMs).toBe(waitsMs)
  expect(terms.mayWrite()).toBe(answers)
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
  await using terms = await joinElection({ ...lease, isElection: true }, { client: cluster.client, ...world })
  expect(terms.mayWrite()).toBe(false)
})

/** A replica's connection: its binds are counted, and its calls about the Lease get no response while it is starved. */
function starvable() {
  const connection = {
    isStarved: false,
    binds: [] as string[],
    intercept:
      (handle: ApiHandler): ApiHandler =>
      async (request) => {
        if (connection.isStarved && request.path.includes('/leases')) throw new Error('connect ETIMEDOUT')
        const pod = boundPod(request)
        if (pod !== undefined) connection.binds.push(pod)
        return handle(request)
      },
  }
  return connection
}
const one = { [DONGLE]: '1' }

describe('a scheduler without leader election', () => {
  test('pauses while it cannot renew the Lease, and goes on when it can', async () => {
    const connection = starvable()
    await using cluster = await startTestCluster({ lease, intercept: connection.intercept })
    await cluster.createNode('node-a', { [DONGLE]: '2' })
    await cluster.createPod('before', { requests: one })
    await cluster.clock.advance(1_000)
    connection.isStarved = true
    await cluster.clock.advance(12_000)
    await cluster.createPod('meanwhile', { requests: one })
    await cluster.clock.advance(60_000)
    expect(connection.binds).toEqual(['before'])
    connection.isStarved = false
    await cluster.clock.advance(5_000)
    expect(connection.binds).toEqual(['before', 'meanwhile'])
    expect((await cluster.pod('meanwhile')).spec.nodeName).toBe('node-a')
  })

  test('leaves the pods to the replica that took the Lease, and goes on after it with its results', async () => {
    const connection = starvable()
    const other = starvable()
    await using first = await startTestCluster({ lease, intercept: connection.intercept })
    await first.createNode('node-a', { [DONGLE]: '2' })
    await first.createPod('before', { requests: one })
    await first.clock.advance(1_000)
    const second = await startTestCluster({ lease, joins: first, intercept: other.intercept })
    connection.isStarved = true
    await first.clock.advance(40_000)
    await first.createPod('taken', { requests: one })
    await first.createPod('late', { requests: one })
    await first.clock.advance(5_000)
    connection.isStarved = false
    await first.clock.advance(60_000)
    expect(connection.binds).toEqual(['before'])
    expect(other.binds).toHaveLength(1)
    await second[Symbol.asyncDispose]()
    await first.clock.advance(20_000)
    // Only the pod that fits nowhere is left.
    expect(connection.binds).toEqual(['before'])
    await first.deletePod('before')
    await first.clock.advance(20_000)
    expect([...connection.binds, ...other.binds].toSorted()).toEqual(['before', 'late', 'taken'])
    expect(connection.binds).toHaveLength(2)
  })

  test('does not bind a pod in a later term that it decided about in an earlier one', async () => {
    const permitted = Promise.withResolvers<undefined>()
    let calls = 0
    const gate = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'gate',
      description: 'A test.',
      argsSchema: z.strictObject({}),
      create: () => ({
        permit: (pod) => {
          if (pod.metadata.name !== 'held') return undefined
          calls += 1
          return permitted.promise
        },
      }),
    })
    const config =
      'profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: gate }] } } }]'
    const connection = starvable()
    await using cluster = await startTestCluster({
      lease,
      config,
      plugins: [gate],
      intercept: connection.intercept,
    })
    await cluster.createNode('node-a', { [DONGLE]: '1' })
    await cluster.createPod('held', { requests: one })
    await cluster.clock.advance(1_000)
    expect(cluster.view.stats()).toMatchObject({ assumed: 1 })
    connection.isStarved = true
    await cluster.clock.advance(12_000)
    // The attempt has ended, and its room is free.
    expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
    await cluster.createPod('rival', { requests: one, spec: { nodeName: 'node-a' } })
    connection.isStarved = false
    await cluster.clock.advance(20_000)
    permitted.resolve(undefined)
    await cluster.clock.advance(20_000)
    expect(connection.binds).toEqual([])
    expect(calls).toBe(1)
    await cluster.deletePod('rival')
    await cluster.clock.advance(20_000)
    expect(connection.binds).toEqual(['held'])
  })
})
