import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import { silentLogger, type ApiHandler, type Lease, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, startLeaderElection, type LeaderElection } from '../src/index.ts'
import { scriptedHandler, type ScriptedAnswer } from '../src/testing.ts'

const withheld = expect.stringContaining('not sent') as string
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** A server that keeps one Lease with optimistic concurrency. */
function leaseServer(first?: Lease) {
  let lease: Lease | undefined = first
  let version = 1
  const writes: Lease[] = []
  const state = { fault: undefined as ((method: string) => ScriptedAnswer | undefined) | undefined }
  const answer = (status: number, body: unknown): ScriptedAnswer => ({ kind: 'json', status, body })
  const serve: ApiHandler = (request) => {
    const sent = request.body === undefined ? undefined : (JSON.parse(Buffer.from(request.body).toString()) as Lease)
    const fault = state.fault?.(request.method)
    if (fault !== undefined) return scriptedHandler([{ answer: fault }]).handle(request)
    const reply = (status: number, body: unknown) => scriptedHandler([{ answer: answer(status, body) }]).handle(request)
    if (request.method === 'GET') return lease === undefined ? reply(404, { reason: 'NotFound' }) : reply(200, lease)
    if (sent === undefined) throw new Error('a write without a body')
    const isStale =
      request.method === 'POST'
        ? lease !== undefined
        : sent.metadata.resourceVersion !== lease?.metadata.resourceVersion
    if (lease === undefined && request.method === 'PUT') return reply(404, { reason: 'NotFound' })
    if (isStale) return reply(409, { reason: request.method === 'POST' ? 'AlreadyExists' : 'Conflict' })
    version += 1
    lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(version) } }
    writes.push(lease)
    return reply(200, lease)
  }
  return { handle: serve, writes, state, lease: () => lease, set: (next: Lease | undefined) => (lease = next) }
}

function candidate(server: { readonly handle: ApiHandler }, clock: FakeClock, identity: string): LeaderElection {
  const shared = { log: silentLogger, clock, random: () => 0.5 }
  const { client } = connectCluster({ ...shared, handler: server.handle, userAgent: identity })
  return startLeaderElection({ ...shared, client, namespace: 'kube-system', name: 'berth', identity })
}

describe('leader election', () => {
  test('creates the lease with six-digit times, renews it every two seconds, and releases it', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    expect(a.stillLeader()).toBe(false)
    expect(a.leadingSinceMs()).toBe(Infinity)
    await clock.settle()
    await a.tried
    await a.whenLeading()
    expect(a.stillLeader()).toBe(true)
    expect(a.leadingSinceMs()).toBe(clock.monotonic())
    await clock.advance(10_000)
    expect(server.writes).toHaveLength(6)
    for (const { spec } of server.writes) {
      expect(spec?.acquireTime).toMatch(MICRO_TIME)
      expect(spec?.renewTime).toMatch(MICRO_TIME)
    }
    expect(server.lease()?.spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:10.000000Z',
    })
    await a[Symbol.asyncDispose]()
    expect(server.lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    expect(a.stillLeader()).toBe(false)
    expect(a.lost.aborted).toBe(true)
  })

  test('a second candidate leads at once after a release, and keeps fields that it does not know', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(0)
    const b = candidate(server, clock, 'b')
    await clock.advance(30_000)
    expect(b.leader()).toBe('a')
    expect(b.stillLeader()).toBe(false)
    const current = server.lease()
    if (current !== undefined)
      server.set({
        ...current,
        spec: { ...current.spec, strategy: 'OldestEmulationVersion' },
        metadata: { ...current.metadata, resourceVersion: '500', labels: { kept: 'yes' } },
      })
    await clock.advance(2_100)
    await a[Symbol.asyncDispose]()
    await clock.advance(4_500)
    expect(b.stillLeader()).toBe(true)
    expect(server.lease()).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
      spec: { holderIdentity: 'b', strategy: 'OldestEmulationVersion', leaseTransitions: 1 },
    })
    await b[Symbol.asyncDispose]()
  })

  test('takes over from a dead leader only when the lease has expired by its own clock', async () => {
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 15,
      renewTime: '2001-01-01T00:00:00.000000Z',
      leaseTransitions: 4,
    }
    const server = leaseServer({ metadata: { name: 'berth', namespace: 'kube-system', resourceVersion: '1' }, spec })
    const clock = fakeClock()
    const b = candidate(server, clock, 'b')
    await clock.advance(14_900)
    expect(b.leader()).toBe('dead')
    expect(server.writes).toHaveLength(0)
    await clock.advance(5_000)
    expect(b.stillLeader()).toBe(true)
    expect(server.lease()?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5 })
    await b[Symbol.asyncDispose]()
  })

  test.for([0, 700, 1_900, 3_100])(
    'takes over within half a second after a lease expired whose last renewal came %i ms after a read',
    async (afterMs) => {
      const held = (renewals: number): Lease => ({
        metadata: { name: 'berth', namespace: 'kube-system', resourceVersion: String(renewals) },
        spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, leaseTransitions: renewals },
      })
      const server = leaseServer(held(1))
      const clock = fakeClock()
      const b = candidate(server, clock, 'b')
      await clock.advance(10_000 + afterMs)
      server.set(held(2))
      await clock.advance(14_900)
      expect(server.writes).toHaveLength(0)
      await clock.advance(600)
      expect(b.stillLeader()).toBe(true)
      await b[Symbol.asyncDispose]()
    },
  )

  test('never lets two candidates lead at once, whatever the server answers', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const random = seededRandom(7)
    let injected = 0
    server.state.fault = () => {
      const dice = random()
      if (dice > 0.5) return undefined
      injected += 1
      if (dice < 0.2) return { kind: 'hang' }
      if (dice < 0.35) return { kind: 'drop' }
      return { kind: 'json', status: 500, body: { reason: 'InternalError' } }
    }
    const running = new Map<string, LeaderElection>()
    const terms = new Set<string>()
    for (let tick = 0; tick < 3_000; tick++) {
      for (const name of ['a', 'b', 'c'])
        if (running.get(name)?.lost.aborted !== false) running.set(name, candidate(server, clock, name))
      await clock.advance(200)
      const leaders = [...running].filter(([, election]) => election.stillLeader()).map(([name]) => name)
      expect(leaders.length).toBeLessThanOrEqual(1)
      for (const name of leaders) terms.add(`${name} ${server.lease()?.spec?.leaseTransitions}`)
    }
    expect(injected).toBeGreaterThan(100)
    expect(terms.size).toBeGreaterThan(2)
    for (const election of running.values()) await election[Symbol.asyncDispose]()
  })

  test('stops leading when it cannot renew for ten seconds, before others may take over', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(4_000)
    server.state.fault = () => ({ kind: 'hang' })
    await clock.advance(9_900)
    expect(a.stillLeader()).toBe(true)
    expect(a.lost.aborted).toBe(false)
    await clock.advance(200)
    expect(a.stillLeader()).toBe(false)
    expect(a.lost.aborted).toBe(true)
    await a[Symbol.asyncDispose]()
  })

  test('renews the lease of a busy leader without waiting behind hundreds of rate-limited binds', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const shared = { log: silentLogger, clock, random: () => 0.5 }
    let binds = 0
    const handler: ApiHandler = (request) => {
      if (!request.path.endsWith('/binding')) return server.handle(request)
      binds += 1
      return scriptedHandler([{ answer: { kind: 'json', status: 201, body: {} } }]).handle(request)
    }
    await using cluster = connectCluster({ ...shared, handler, userAgent: 'busy', qps: 50, burst: 100 })
    const lease = { namespace: 'kube-system', name: 'berth', identity: 'busy' }
    await using election = startLeaderElection({ ...shared, client: cluster.client, ...lease })
    await clock.settle()
    expect(election.stillLeader()).toBe(true)
    for (let i = 0; i < 2_000; i++) {
      const pod: Pod = { metadata: { name: `p${i}`, uid: 'u' }, spec: { containers: [] } }
      cluster.client.bind(pod, 'n').catch(() => undefined)
    }
    await clock.advance(30_000)
    expect(binds).toBeGreaterThan(1_000)
    expect(binds).toBeLessThan(1_700)
    expect(election.stillLeader()).toBe(true)
    expect(server.writes.length).toBeGreaterThan(14)
  })

  test.for([
    { it: 'waits for Retry-After', status: 429, outcome: { kind: 'unsent', cause: { message: withheld } } },
    {
      // The first attempt may have acted.
      it: 'waits to be retried after a 503',
      status: 503,
      outcome: { kind: 'unknown', cause: { message: withheld } },
    },
  ])('a bind that $it while the lease passes to another is not sent again', async ({ status, outcome }) => {
    const server = leaseServer()
    const clock = fakeClock()
    let isCutOff = false
    let binds = 0
    const refused: ScriptedAnswer = { kind: 'json', status, body: {}, headers: { 'retry-after': '40' } }
    const handler: ApiHandler = (request) => {
      if (!request.path.includes('/pods/')) return isCutOff ? Promise.reject(new Error('cut')) : server.handle(request)
      const isBind = request.method === 'POST'
      if (isBind) binds += 1
      const pod = { metadata: { name: 'p', uid: 'u' }, spec: {} }
      const answer: ScriptedAnswer = isBind ? refused : { kind: 'json', status: 200, body: pod }
      return scriptedHandler([{ answer }]).handle(request)
    }
    const shared = { log: silentLogger, clock, random: () => 0.5 }
    await using cluster = connectCluster({ ...shared, handler, userAgent: 'old' })
    const lease = { namespace: 'kube-system', name: 'berth', identity: 'old' }
    await using old = startLeaderElection({ ...shared, client: cluster.client, ...lease })
    await clock.advance(100)
    expect(old.stillLeader()).toBe(true)
    const bound = cluster.client.bind({ metadata: { name: 'p', uid: 'u' }, spec: { containers: [] } }, 'n', {
      mayStart: () => old.stillLeader(),
    })
    isCutOff = true
    const next = candidate(server, clock, 'next')
    await clock.advance(39_000)
    expect([old.stillLeader(), next.stillLeader()]).toEqual([false, true])
    await clock.advance(60_000)
    expect(binds).toBe(1)
    expect(await bound).toMatchObject(outcome)
    isCutOff = false
    await next[Symbol.asyncDispose]()
  })

  test('keeps leading when the response to a renewal was lost', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(1_000)
    const current = server.lease()
    if (current !== undefined) server.set({ ...current, metadata: { ...current.metadata, resourceVersion: '99' } })
    await clock.advance(20_000)
    expect(a.stillLeader()).toBe(true)
    await a[Symbol.asyncDispose]()
  })

  test('recreates a deleted lease and keeps leading', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(1_000)
    server.set(undefined)
    await clock.advance(2_000)
    expect(server.lease()?.spec?.holderIdentity).toBe('a')
    await clock.advance(30_000)
    expect([a.stillLeader(), a.lost.aborted]).toEqual([true, false])
    await a[Symbol.asyncDispose]()
  })

  test('stops leading when its deleted lease is taken by another', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(1_000)
    server.set(undefined)
    const b = candidate(server, clock, 'b')
    await clock.advance(2_000)
    expect([a.stillLeader(), b.stillLeader()]).toEqual([false, true])
    await a[Symbol.asyncDispose]()
    expect(server.lease()?.spec?.holderIdentity).toBe('b')
    await b[Symbol.asyncDispose]()
  })

  test.for([
    { it: 'has arrived', arrives: 'before' },
    { it: 'arrives during the release', arrives: 'between' },
  ])('releases the lease although a renewal in flight $it', async ({ arrives }) => {
    const server = leaseServer()
    const clock = fakeClock()
    let late: (() => Promise<unknown>) | undefined
    let isHanging = false
    const handle: ApiHandler = async (request) => {
      if (request.method === 'PUT' && isHanging) {
        isHanging = false
        late = async () =>
          server.handle({
            method: request.method,
            path: request.path,
            headers: {},
            body: request.body ?? new Uint8Array(),
          })
        if (arrives === 'before') await late()
        return scriptedHandler([{ answer: { kind: 'hang' } }]).handle(request)
      }
      if (request.method === 'PUT' && arrives === 'between') await late?.()
      return server.handle(request)
    }
    const a = candidate({ handle }, clock, 'a')
    await clock.advance(1_000)
    isHanging = true
    await clock.advance(1_500)
    expect(late).toBeDefined()
    await a[Symbol.asyncDispose]()
    expect(server.lease()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
  })

  test('loses at once when another identity holds the lease', async () => {
    const server = leaseServer()
    const clock = fakeClock()
    const a = candidate(server, clock, 'a')
    await clock.advance(1_000)
    const current = server.lease()
    if (current !== undefined)
      server.set({
        metadata: { ...current.metadata, resourceVersion: '99' },
        spec: { ...current.spec, holderIdentity: 'thief' },
      })
    await clock.advance(1_500)
    expect(a.lost.aborted).toBe(true)
    await a[Symbol.asyncDispose]()
    expect(server.lease()?.spec?.holderIdentity).toBe('thief')
  })

  test('refuses times with which a leader would outlive its lease', () => {
    const clock = fakeClock()
    const shared = { log: silentLogger, clock, random: () => 0.5 }
    const server = leaseServer()
    const { client } = connectCluster({ ...shared, handler: server.handle, userAgent: 'a' })
    const lease = { namespace: 'kube-system', name: 'berth', identity: 'a', leaseDurationMs: 5_000 }
    expect(() => startLeaderElection({ ...shared, client, ...lease })).toThrow('leaseDuration must be longer than')
    expect(clock.pendingTimers()).toBe(0)
  })

  test('whenLeading rejects when the election is stopped first', async () => {
    const server = leaseServer({
      metadata: { name: 'berth' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    })
    const clock = fakeClock()
    const b = candidate(server, clock, 'b')
    await clock.settle()
    const waiting = b.whenLeading()
    waiting.catch(() => undefined)
    await b[Symbol.asyncDispose]()
    await expect(waiting).rejects.toMatchObject({ code: 'BERTH_API_CLOSED' })
  })
})
