import type { ApiHandler, ApiRequest, ApiResponse } from '@berth/types'
import { expect, test } from 'vitest'
import { type Lab, startLab } from './lab.ts'

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

/** Lets `fault` answer the first `times` requests that match, and counts them. */
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
  { it: 'a bind answered 500', withinMs: 40_000, fault: async () => refusal(500, 'InternalError') },
  { it: 'a bind answered 503', withinMs: 40_000, fault: async () => refusal(503, 'ServiceUnavailable') },
  { it: 'a bind answered 409 although nobody bound', withinMs: 40_000, fault: async () => refusal(409, 'Conflict') },
  {
    it: 'a bind whose connection broke',
    // Each may take effect for another minute.
    withinMs: 240_000,
    fault: async () => {
      throw new Error('socket hang up')
    },
  },
])('$it is tried again, and the room is taken once', async ({ withinMs, fault }) => {
  const faults = faulty(isBind, 3, fault)
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(withinMs)
  expect(faults.injected).toBe(3)
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
  expect(lab.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
  const row = lab.view.state.rowOf('node-a') ?? -1
  expect(lab.view.state.requested(row, DONGLE)).toBe(1n)
})

test('a bind that happened although its answer was lost counts as done', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    await handle(request)
    throw new Error('socket hang up')
  })
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect(await lab.events('web')).toEqual(['Scheduled: Successfully assigned default/web to node-a'])
})

async function bindsByOutcome({ metrics }: Lab): Promise<Readonly<Record<string, number>>> {
  const { values } = await metrics.binds.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome ?? '', value]))
}

test('counts a bind whose response was lost as unknown once the pod turns out not to be bound', async () => {
  const faults = faulty(isBind, 2, () => Promise.reject(new Error('socket hang up')))
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(180_000)
  expect(faults.injected).toBe(2)
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
  expect(await bindsByOutcome(lab)).toEqual({ unknown: 2, bound: 1 })
})

test('counts a bind that the scheduler gives up confirming at shutdown as unknown', async () => {
  const faults = faulty(isBind, 1, () => Promise.reject(new Error('socket hang up')))
  const lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(1_000)
  await lab[Symbol.asyncDispose]()
  expect(faults.injected).toBe(1)
  expect(await bindsByOutcome(lab)).toEqual({ unknown: 1 })
})

test('counts a bind that the API server rejects as a conflict', async () => {
  const faults = faulty(isBind, 1, async () => refusal(409, 'Conflict'))
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(40_000)
  expect(await bindsByOutcome(lab)).toEqual({ conflict: 1, bound: 1 })
})

test('while nobody knows whether a bind happened, its room goes to no other pod', async () => {
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
  await using lab = await startLab({ intercept })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('first', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(5_000)
  await lab.createPod('second', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(20_000)
  expect(binds).toBe(1)
  expect(lab.scheduler.counts()).toMatchObject({ inFlight: 1, unschedulable: 1 })
  isDown = false
  await lab.clock.advance(60_000)
  const bound = [await lab.pod('first'), await lab.pod('second')].filter(({ spec }) => spec.nodeName !== undefined)
  expect(bound).toHaveLength(1)
})

test('a replica that stops leading while its bind waits for Retry-After sends nothing more, no condition and no event either', async () => {
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
  await using lab = await startLab({ intercept, mayBind: () => isLeader })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(1_000)
  expect(sent).toHaveLength(1)
  isLeader = false
  isThrottled = false
  await lab.clock.advance(60_000)
  expect(sent).toHaveLength(1)
  expect((await lab.pod('web')).spec.nodeName).toBeUndefined()
  isLeader = true
  await lab.clock.advance(60_000)
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
})

test.for([10, 40, 59])(
  'a bind that takes effect %i s after its connection broke: its room goes to no other pod',
  async (seconds) => {
    let act = (): Promise<unknown> => Promise.resolve()
    const faults = faulty(isBind, 1, (request, handle) => {
      act = () => handle(request)
      return Promise.reject(new Error('socket hang up'))
    })
    await using lab = await startLab(faults)
    await lab.createNode('node-a', { [DONGLE]: '1' })
    await lab.createPod('late', { requests: { [DONGLE]: '1' } })
    await lab.settle()
    await lab.createPod('other', { requests: { [DONGLE]: '1' } })
    await lab.clock.advance(seconds * 1_000)
    await act()
    await lab.clock.advance(60_000)
    expect(faults.injected).toBe(1)
    expect((await lab.pod('late')).spec.nodeName).toBe('node-a')
    expect((await lab.pod('other')).spec.nodeName).toBeUndefined()
    expect(lab.scheduler.counts()).toMatchObject({ inFlight: 0, unschedulable: 1 })
  },
)

test('a pod that somebody else bound first is left to them', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    const body = JSON.parse(new TextDecoder().decode(request.body)) as { target: { name: string } }
    const other = JSON.stringify({ ...body, target: { kind: 'Node', name: 'node-b' } })
    await handle({ ...request, body: new TextEncoder().encode(other) })
    return handle(request)
  })
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('stolen', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect((await lab.pod('stolen')).spec.nodeName).toBe('node-b')
  expect(lab.scheduler.counts().inFlight).toBe(0)
  await lab.createPod('next', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(2_000)
  expect((await lab.pod('next')).spec.nodeName).toBe('node-a')
})

test('a pod that was deleted before its bind leaves its room behind', async () => {
  const faults = faulty(isBind, 1, async (request, handle) => {
    await handle({
      method: 'DELETE',
      path: '/api/v1/namespaces/default/pods/gone?gracePeriodSeconds=0',
      headers: request.headers,
    })
    return handle(request)
  })
  await using lab = await startLab(faults)
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('gone', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(2_000)
  await lab.createPod('next', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(2_000)
  expect(faults.injected).toBe(1)
  expect((await lab.pod('next')).spec.nodeName).toBe('node-a')
})

test('a scheduler that is started again goes on where the other one ended', async () => {
  await using first = await startLab()
  await first.createNode('node-a', { [DONGLE]: '2' })
  await first.createPod('old', { requests: { [DONGLE]: '1' } })
  await first.createPod('too-big', { requests: { [DONGLE]: '2' } })
  await first.settle()
  await first.stop()
  await first.createPod('new', { requests: { [DONGLE]: '1' } })
  await first.clock.advance(1_000)
  expect((await first.pod('new')).spec.nodeName).toBeUndefined()

  await using second = await startLab({ joins: first })
  await second.clock.advance(1_000)
  expect((await second.pod('new')).spec.nodeName).toBe('node-a')
  expect((await second.pod('too-big')).spec.nodeName).toBeUndefined()
  expect(second.scheduler.counts().unschedulable).toBe(1)
})

test('two schedulers with the same name bind each pod once', async () => {
  await using first = await startLab()
  await using second = await startLab({ joins: first })
  for (const name of ['node-a', 'node-b']) await first.createNode(name, { [DONGLE]: '100' })
  const names = Array.from({ length: 50 }, (_, i) => `pod-${i}`)
  await Promise.all(names.map((name) => first.createPod(name, { requests: { [DONGLE]: '1' } })))
  await first.clock.advance(15_000)
  const pods = await Promise.all(names.map((name) => first.pod(name)))
  expect(pods.every(({ spec }) => spec.nodeName !== undefined)).toBe(true)
  for (const lab of [first, second]) {
    expect(lab.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
  }
})

test('decides nothing while the view is older than the bound, and says so', async () => {
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
  await using lab = await startLab({ intercept, maxViewAgeMs: 90_000 })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.settle()
  expect(lab.scheduler.notReady()).toBeUndefined()
  isDown = true
  await lab.clock.advance(5 * 60_000)
  expect(lab.scheduler.notReady()).toMatch(/^the last word of the API server about nodes is \d+ s old/)
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.clock.advance(5_000)
  expect((await lab.pod('web')).spec.nodeName).toBeUndefined()
  isDown = false
  await lab.clock.advance(2 * 60_000)
  expect(lab.scheduler.notReady()).toBeUndefined()
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
})

test('waits longer after each failed attempt: 1, 2, 4, 8, 10, 10 seconds', async () => {
  const attempts: number[] = []
  let now = (): number => 0
  const faults = faulty(isBind, 7, async () => {
    attempts.push(now())
    return refusal(409, 'Conflict')
  })
  await using lab = await startLab(faults)
  now = () => lab.clock.monotonic()
  await lab.createNode('node-a', {})
  await lab.createPod('web')
  await lab.clock.advance(60_000)
  const waits = attempts.slice(1).map((at, i) => Math.round((at - (attempts[i] ?? 0)) / 1_000))
  expect(waits).toEqual([1, 2, 4, 8, 10, 10])
  expect((await lab.pod('web')).spec.nodeName).toBe('node-a')
})
