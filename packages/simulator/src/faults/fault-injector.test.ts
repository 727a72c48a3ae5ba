import { seededRandom } from '@berth/clock/testing'
import type { ApiHandler, ApiResponse } from '@berth/types'
import { describe, expect, test } from 'vitest'
import {
  callJson,
  createFaultInjector,
  createTestServer,
  isWatchRequest,
  type Fault,
  type TestServer,
} from '../testing.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const isPost: (request: { readonly method: string }) => boolean = ({ method }) => method === 'POST'

interface Site {
  readonly server: TestServer
  readonly handle: ApiHandler
  readonly count: () => number
  readonly exists: (name: string) => boolean
}

function site(fault: Fault, rule: { readonly chance?: number; readonly times?: number } = { times: 1 }): Site {
  const server = createTestServer()
  const faults = createFaultInjector({ clock: server.clock, random: server.context.random })
  faults.add({ name: 'it', fault, matches: (request) => isPost(request) || isWatchRequest(request), ...rule })
  return {
    server,
    handle: faults.wrap(server.handle),
    count: () => faults.counts().get('it') ?? -1,
    exists: (name) => server.store.collection('/configmaps').get(`default/${name}`) !== undefined,
  }
}

const make = (handle: ApiHandler, name = 'm'): ReturnType<typeof callJson> =>
  callJson(handle, 'POST', MAPS, { body: { metadata: { name } } })

async function textOf({ body }: ApiResponse): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text
}

describe('a request that writes', () => {
  test.for([
    { fault: { kind: 'drop' }, isMade: false },
    { fault: { kind: 'drop', afterEffect: true }, isMade: true },
  ] as const)('$fault: no answer, and an effect: $isMade', async ({ fault, isMade }) => {
    const { handle, exists, count } = site(fault)
    await expect(make(handle)).rejects.toThrow('socket hang up')
    expect([exists('m'), count()]).toEqual([isMade, 1])
    expect((await make(handle, 'next')).status).toBe(201)
  })

  test.for([
    { status: 409, reason: 'Conflict' },
    { status: 410, reason: 'Expired' },
    { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 },
    { status: 500, reason: 'InternalError' },
    { status: 503, reason: 'ServiceUnavailable' },
    { status: 504, reason: 'Timeout', afterEffect: true },
  ] as const)('$status as the server words it', async ({ reason, ...fault }) => {
    const { handle, exists } = site({ kind: 'refuse', ...fault })
    const answer = await make(handle)
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: fault.status, reason })
    expect(answer.headers['retry-after']).toBe(fault.status === 429 ? '7' : undefined)
    expect(exists('m')).toBe(fault.status === 504)
  })

  test('is delayed by the clock', async () => {
    const { server, handle, exists } = site({ kind: 'delay', ms: 5_000 })
    const answer = make(handle)
    server.clock.advance(4_999)
    expect(exists('m')).toBe(false)
    server.clock.advance(1)
    expect((await answer).status).toBe(201)
  })

  test.for([false, true])(
    'gets no response until the client gives up (half-open; processed: %s)',
    async (afterEffect) => {
      const { handle, exists, count } = site({ kind: 'half-open', afterEffect })
      const abort = new AbortController()
      const body = new TextEncoder().encode(JSON.stringify({ metadata: { name: 'm' } }))
      const answer = handle({ method: 'POST', path: MAPS, headers: {}, body, signal: abort.signal })
      const first = await Promise.race([
        answer.catch(() => 'broke'),
        new Promise((resolve) => setImmediate(resolve, 'waits')),
      ])
      expect([first, exists('m'), count()]).toEqual(['waits', afterEffect, 1])
      abort.abort()
      await expect(answer).rejects.toThrow('the client gave up')
    },
  )

  test('gets a slow body completely', async () => {
    const { server, handle } = site({ kind: 'slow-body', bytes: 50, everyMs: 1_000 })
    let isDone = false
    const answer = make(handle).then((result) => {
      isDone = true
      return result
    })
    await server.clock.run(3_000)
    expect(isDone).toBe(false)
    await server.clock.run(60_000)
    expect((await answer).body.metadata.name).toBe('m')
  })

  test('takes effect although the body of its response is cut off', async () => {
    const { handle, exists } = site({ kind: 'cut-body', afterBytes: 10 })
    await expect(make(handle)).rejects.toThrow('broke within the body')
    expect(exists('m')).toBe(true)
  })

  test('is processed twice; the second time finds the object of the first', async () => {
    const { handle, count } = site({ kind: 'duplicate' })
    expect([(await make(handle)).status, count()]).toEqual([409, 1])
  })

  test('is overtaken by the next one; without a next one it continues and is not counted', async () => {
    const { server, handle, count } = site({ kind: 'reorder' }, { times: 2 })
    const first = make(handle, 'a')
    await make(handle, 'b')
    await first
    const revisionOf = (name: string): number =>
      Number(server.store.collection('/configmaps').get(`default/${name}`)?.metadata.resourceVersion)
    expect(revisionOf('a')).toBeGreaterThan(revisionOf('b'))
    const alone = make(handle, 'c')
    await server.clock.run(1_000)
    expect([(await alone).status, count()]).toEqual([201, 1])
  })
})

describe('a watch', () => {
  const path = `${MAPS}?watch=1&timeoutSeconds=5&allowWatchBookmarks=true`

  async function watched(fault: Fault, rule?: { readonly chance?: number; readonly times?: number }) {
    const parts = site(fault, rule)
    const response = await parts.handle({ method: 'GET', path, headers: {} })
    const reading = textOf(response).then(
      (text) => text.trim().split('\n'),
      (error: unknown) => String(error),
    )
    for (let i = 0; i < 20; i++)
      await callJson(parts.server.handle, 'POST', MAPS, { body: { metadata: { name: `m${i}` } } })
    await parts.server.clock.run(6_000)
    return { ...parts, reading }
  }
  const nameOf = (line: string): string => {
    const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name?: string } } }
    return type === 'ADDED' ? (object.metadata.name ?? '') : type
  }

  test('gets every event twice', async () => {
    const lines = (await (await watched({ kind: 'duplicate' })).reading) as readonly string[]
    expect(lines.slice(0, 5).map(nameOf)).toEqual(['m0', 'm0', 'm1', 'm1', 'm2'])
    expect(lines.filter((line) => nameOf(line) === 'BOOKMARK')).toHaveLength(1)
  })

  test('gets all events in another order, and each swap is counted', async () => {
    const { reading, count } = await watched({ kind: 'reorder' })
    const names = ((await reading) as readonly string[]).map(nameOf)
    const inOrder = [...Array.from({ length: 20 }, (_, i) => `m${i}`), 'BOOKMARK']
    expect(names).not.toEqual(inOrder)
    expect([...names].toSorted()).toEqual([...inOrder].toSorted())
    expect(names.at(-1)).toBe('BOOKMARK')
    expect(count()).toBeGreaterThan(0)
  })

  test('breaks in the middle of an event', async () => {
    expect(await (await watched({ kind: 'cut-body', afterBytes: 100 })).reading).toContain('broke within the body')
  })

  test('stays open without events until the client gives up', async () => {
    const { server, handle, count } = site({ kind: 'silence' })
    const abort = new AbortController()
    const response = await handle({ method: 'GET', path, headers: {}, signal: abort.signal })
    const first = response.body[Symbol.asyncIterator]().next()
    await callJson(server.handle, 'POST', MAPS, { body: { metadata: { name: 'unseen' } } })
    await server.clock.run(600_000)
    const seen = await Promise.race([first.catch(String), new Promise((resolve) => setImmediate(resolve, 'nothing'))])
    expect([seen, count()]).toEqual(['nothing', 1])
    abort.abort()
    await expect(first).rejects.toThrow('the client gave up')
  })
})

describe('rules', () => {
  test('give the same faults for the same seed, and are counted as 0 when they never applied', async () => {
    const run = async (seed: number): Promise<readonly [string, string]> => {
      const server = createTestServer()
      const random = seededRandom(seed)
      const faults = createFaultInjector({ clock: server.clock, random })
      faults.add({ name: 'lost', chance: 0.3, fault: { kind: 'drop' } })
      faults.add({ name: 'busy', chance: 0.3, fault: { kind: 'refuse', status: 429 } })
      faults.add({ name: 'never', matches: ({ path }) => path.includes('secrets'), fault: { kind: 'drop' } })
      const handle = faults.wrap(server.handle)
      let met = ''
      for (let i = 0; i < 60; i++)
        met += await callJson(handle, 'GET', MAPS).then(
          ({ status }) => status,
          () => '-',
        )
      return [met, faults.report()]
    }
    const [met, report] = await run(7)
    expect(await run(7)).toEqual([met, report])
    expect(await run(8)).not.toEqual([met, report])
    expect(report).toMatch(/^lost: [1-9]\d*, busy: [1-9]\d*, never: 0$/u)
  })

  test('no longer apply once they are removed; clear removes all', async () => {
    const server = createTestServer()
    const faults = createFaultInjector({ clock: server.clock, random: () => 0 })
    const handle = faults.wrap(server.handle)
    const takeBack = faults.add({ name: 'a', fault: { kind: 'refuse', status: 500 } })
    faults.add({ name: 'b', fault: { kind: 'refuse', status: 503 } })
    const status = async (): Promise<number> => (await callJson(handle, 'GET', MAPS)).status
    expect(await status()).toBe(500)
    takeBack()
    expect(await status()).toBe(503)
    faults.clear()
    expect(await status()).toBe(200)
    expect(faults.report()).toBe('a: 1, b: 1')
  })
})
