import type { ApiHandler, ApiRequest, ApiResponse } from '@berth/types'
import { expect, test } from 'vitest'
import { type TestCluster, startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'

const isBind = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/binding')

function refusal(status: number, reason: string): ApiResponse {
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    code: status,
    reason,
    message: `injected ${reason}`,
  })
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield new TextEncoder().encode(body)
    })(),
  }
}

/** Answers the first `times` matching requests with `fault`, and counts them. */
function faulty(
  matches: (request: ApiRequest) => boolean,
  times: number,
  fault: (request: ApiRequest, handle: ApiHandler) => Promise<ApiResponse>,
): { readonly intercept: (handle: ApiHandler) => ApiHandler; injected: number } {
  const counter = {
    injected: 0,
    intercept:
      (handle: ApiHandler): ApiHandler =>
      (request) => {
        if (counter.injected >= times || !matches(request)) return handle(request)
        counter.injected += 1
        return fault(request, handle)
      },
  }
  return counter
}

test.for([
  { it: 'a bind answered with 500', withinMs: 40_000, fault: async () => refusal(500, 'InternalError') },
  { it: 'a bind answered with 503', withinMs: 40_000, fault: async () => refusal(503, 'ServiceUnavailable') },
  {
    it: 'a bind answered with 409 although the pod is not bound',
    withinMs: 40_000,
    fault: async () => refusal(409, 'Conflict'),
  },
  {
    it: 'a bind whose connection broke',
    // Each bind may take effect for another minute.
    withinMs: 240_000,
    fault: async () => {
      throw new Error('socket hang up')
    },
  },
])('retries $it, and counts the requests of the pod once', async ({ withinMs, fault }) => {
  const faults = faulty(isBind, 3, fault)
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(withinMs)
  expect(faults.injected).toBe(3)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect(cluster.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
  const row = cluster.view.state.rowOf('node-a') ?? -1
  expect(cluster.view.state.requested(row, DONGLE)).toBe(1n)
})

test('decides about other pods while 128 binds hang, and sends the next bind for the pod of the highest priority', async () => {
  const binds: string[] = []
  const hanging: (() => void)[] = []
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (!isBind(request)) return handle(request)
      binds.push(/pods\/([^/]+)\//.exec(request.path)?.[1] ?? '')
      await new Promise<void>((resolve) => hanging.push(resolve))
      return handle(request)
    }
  await using cluster = await startTestCluster({ intercept })
  await cluster.createPriorityClass('high', 1_000)
  await cluster.createNode('node-a', { pods: '10000' })
  for (let i = 0; i < 200; i++) await cluster.createPod(`web-${i}`)
  await cluster.settle()
  expect(binds).toHaveLength(128)
  await cluster.createPod('big', { requests: { cpu: '1000' } })
  await cluster.createPod('urgent', { priorityClassName: 'high' })
  await cluster.settle()
  expect(await cluster.events('big')).toEqual([expect.stringContaining('Insufficient cpu') as string])
  hanging[0]?.()
  await cluster.settle()
  expect(binds.slice(128)).toEqual(['urgent'])
  for (let i = 0; i < hanging.length; i++) {
    hanging[i]?.()
    if (i % 100 === 0) await cluster.settle()
  }
  await cluster.settle()
  expect(new Set(binds).size).toBe(201)
})

test('gives the room of a bound pod to others when a list shows its deletion before a watch shows its bind', async () => {
  let isCut = false
  let isExpired = false
  const resumed = Promise.withResolvers<undefined>()
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (isBind(request)) isCut = true
      const isRead = request.method === 'GET' && request.path.startsWith('/api/v1/pods?')
      if (isRead && isCut) {
        await resumed.promise
        if (!isExpired) {
          isExpired = true
          return refusal(410, 'Expired')
        }
      }
      const response = await handle(request)
      const untilCut = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of response.body) {
          if (isCut && !isExpired) return
          yield chunk
        }
      }
      return isRead ? { ...response, body: untilCut() } : response
    }
  await using cluster = await startTestCluster({ intercept })
  await cluster.createPod('first', { requests: { [DONGLE]: '1' } })
  await cluster.createPod('second', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.clock.advance(3_000)
  expect((await cluster.pod('first')).spec.nodeName).toBe('node-a')
  await cluster.deletePod('first')
  await cluster.settle()
  expect(cluster.view.pod('default/first')?.spec.nodeName).toBeUndefined()
  resumed.resolve(undefined)
  await cluster.clock.advance(20_000)
  expect(cluster.view.pod('default/first')).toBeUndefined()
  expect((await cluster.pod('second')).spec.nodeName).toBe('node-a')
})

test('treats a bind whose response was lost as done when the pod is bound', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    await handle(request)
    throw new Error('socket hang up')
  })
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect(await cluster.events('web')).toEqual(['Scheduled: Successfully assigned default/web to node-a'])
})

async function bindsByOutcome({ metrics }: TestCluster): Promise<Readonly<Record<string, number>>> {
  const { values } = await metrics.binds.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome ?? '', value]))
}

test('counts a bind whose response was lost as unknown once the pod turns out not to be bound', async () => {
  const faults = faulty(isBind, 2, () => Promise.reject(new Error('socket hang up')))
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(180_000)
  expect(faults.injected).toBe(2)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
  expect(await bindsByOutcome(cluster)).toEqual({ unknown: 2, bound: 1 })
})

test('counts a bind that cannot be confirmed before shutdown as unknown', async () => {
  const faults = faulty(isBind, 1, () => Promise.reject(new Error('socket hang up')))
  const cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(1_000)
  await cluster[Symbol.asyncDispose]()
  expect(faults.injected).toBe(1)
  expect(await bindsByOutcome(cluster)).toEqual({ unknown: 1 })
})

test('counts a bind that the API server rejects as a conflict', async () => {
  const faults = faulty(isBind, 1, async () => refusal(409, 'Conflict'))
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(40_000)
  expect(await bindsByOutcome(cluster)).toEqual({ conflict: 1, bound: 1 })
})

test('gives the room to no other pod while it is unknown whether a bind happened', async () => {
  let isDown = false
  let binds = 0
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (isBind(request)) {
        binds += 1
        if (binds === 1) isDown = true
      }
      if (isDown && !request.path.includes('watch=')) throw new Error('connect ECONNREFUSED')
      return handle(request)
    }
  await using cluster = await startTestCluster({ intercept })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('first', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(5_000)
  await cluster.createPod('second', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(20_000)
  expect(binds).toBe(1)
  expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 1, unschedulable: 1 })
  isDown = false
  await cluster.clock.advance(60_000)
  const bound = [await cluster.pod('first'), await cluster.pod('second')].filter(
    ({ spec }) => spec.nodeName !== undefined,
  )
  expect(bound).toHaveLength(1)
})

test('sends no bind, condition or event when leadership is lost while the bind waits for Retry-After', async () => {
  let isLeader = true
  let isThrottled = true
  const sent: string[] = []
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      const isWrite = request.method !== 'GET' && /\/pods\/|\/events/.test(request.path)
      if (isWrite) sent.push(request.path)
      const busy = refusal(429, 'TooManyRequests')
      return isBind(request) && isThrottled ? { ...busy, headers: { 'retry-after': '5' } } : handle(request)
    }
  await using cluster = await startTestCluster({ intercept, mayWrite: () => isLeader })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(1_000)
  expect(sent).toHaveLength(1)
  isLeader = false
  isThrottled = false
  await cluster.clock.advance(60_000)
  expect(sent).toHaveLength(1)
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  isLeader = true
  await cluster.clock.advance(60_000)
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})

test.for([10, 40, 59])(
  'keeps the room of a bind that takes effect %i s after its connection broke',
  async (seconds) => {
    let act = (): Promise<unknown> => Promise.resolve()
    const faults = faulty(isBind, 1, (request, handle) => {
      act = () => handle(request)
      return Promise.reject(new Error('socket hang up'))
    })
    await using cluster = await startTestCluster(faults)
    await cluster.createNode('node-a', { [DONGLE]: '1' })
    await cluster.createPod('late', { requests: { [DONGLE]: '1' } })
    await cluster.settle()
    await cluster.createPod('other', { requests: { [DONGLE]: '1' } })
    await cluster.clock.advance(seconds * 1_000)
    await act()
    await cluster.clock.advance(60_000)
    expect(faults.injected).toBe(1)
    expect((await cluster.pod('late')).spec.nodeName).toBe('node-a')
    expect((await cluster.pod('other')).spec.nodeName).toBeUndefined()
    expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 0, unschedulable: 1 })
  },
)

test('leaves a pod alone that another scheduler bound first', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    const body = JSON.parse(new TextDecoder().decode(request.body)) as { target: { name: string } }
    const other = JSON.stringify({ ...body, target: { kind: 'Node', name: 'node-b' } })
    await handle({ ...request, body: new TextEncoder().encode(other) })
    return handle(request)
  })
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('stolen', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect((await cluster.pod('stolen')).spec.nodeName).toBe('node-b')
  expect(cluster.scheduler.counts().inFlight).toBe(0)
  await cluster.createPod('next', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(2_000)
  expect((await cluster.pod('next')).spec.nodeName).toBe('node-a')
})

test('frees the room of a pod that was deleted before its bind', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    await handle({
      method: 'DELETE',
      path: '/api/v1/namespaces/default/pods/gone?gracePeriodSeconds=0',
      headers: request.headers,
    })
    return handle(request)
  })
  await using cluster = await startTestCluster(faults)
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('gone', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(2_000)
  await cluster.createPod('next', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect((await cluster.pod('next')).spec.nodeName).toBe('node-a')
})

test('continues after a restart where the previous process stopped', async () => {
  await using first = await startTestCluster()
  await first.createNode('node-a', { [DONGLE]: '2' })
  await first.createPod('old', { requests: { [DONGLE]: '1' } })
  await first.createPod('too-big', { requests: { [DONGLE]: '2' } })
  await first.settle()
  await first.stop()
  await first.createPod('new', { requests: { [DONGLE]: '1' } })
  await first.clock.advance(1_000)
  expect((await first.pod('new')).spec.nodeName).toBeUndefined()

  await using second = await startTestCluster({ joins: first })
  await second.clock.advance(1_000)
  expect((await second.pod('new')).spec.nodeName).toBe('node-a')
  expect((await second.pod('too-big')).spec.nodeName).toBeUndefined()
  expect(second.scheduler.counts().unschedulable).toBe(1)
})

test('binds each pod once when two schedulers have the same name', async () => {
  await using first = await startTestCluster()
  await using second = await startTestCluster({ joins: first })
  for (const name of ['node-a', 'node-b']) await first.createNode(name, { [DONGLE]: '100' })
  const names = Array.from({ length: 50 }, (_, i) => `pod-${i}`)
  await Promise.all(names.map((name) => first.createPod(name, { requests: { [DONGLE]: '1' } })))
  await first.clock.advance(15_000)
  const pods = await Promise.all(names.map((name) => first.pod(name)))
  expect(pods.every(({ spec }) => spec.nodeName !== undefined)).toBe(true)
  for (const cluster of [first, second]) {
    expect(cluster.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
  }
})

test('pauses while the cached cluster state is too old, and reports it', async () => {
  let isDown = false
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    async (request) => {
      if (isDown && request.path.includes('/nodes')) throw new Error('connect ECONNREFUSED')
      const response = await handle(request)
      if (!request.path.includes('/nodes?')) return response
      return {
        ...response,
        body: (async function* () {
          for await (const chunk of response.body) {
            if (isDown) throw new Error('socket hang up')
            yield chunk
          }
        })(),
      }
    }
  await using cluster = await startTestCluster({ intercept, maxViewAgeMs: 90_000 })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.settle()
  expect(cluster.scheduler.notReady()).toBeUndefined()
  isDown = true
  await cluster.clock.advance(5 * 60_000)
  expect(cluster.scheduler.notReady()).toMatch(/^the cached state of nodes is \d+ s old/)
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.clock.advance(5_000)
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  isDown = false
  await cluster.clock.advance(2 * 60_000)
  expect(cluster.scheduler.notReady()).toBeUndefined()
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})

test('backs off longer after each failed attempt: 1, 2, 4, 8, 10, 10 seconds', async () => {
  const attempts: number[] = []
  let now = (): number => 0
  const faults = faulty(isBind, 7, async () => {
    attempts.push(now())
    return refusal(409, 'Conflict')
  })
  await using cluster = await startTestCluster(faults)
  now = () => cluster.clock.monotonic()
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.clock.advance(60_000)
  const waits = attempts.slice(1).map((at, i) => Math.round((at - (attempts[i] ?? 0)) / 1_000))
  expect(waits).toEqual([1, 2, 4, 8, 10, 10])
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})
