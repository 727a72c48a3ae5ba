import { createInterface } from 'node:readline'
import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { UiFeed } from '../../src/ui/feed.ts'
import { applyChange } from '../../src/ui/model/model-changes.ts'
import { createNotifier } from '../../src/ui/model/notifier.ts'
import { noChanges, type UiPoint } from '../../src/ui/model/ui-point.ts'
import { BEAT_MS, type UiMessage, type UiModel } from '../../src/ui/model/ui-model.ts'
import { serveUi, type UiServer } from '../../src/ui/server/serve-ui.ts'
import { openStream, uiRequest } from './ui-request.ts'

const empty: UiModel = { timeMs: 1, nodes: ['a'], resources: [], pendingCount: 0, notes: [] }
const point = (timeMs: number): UiPoint => ({ timeMs, pendingCount: 0, counts: noChanges, examples: [], totals: [] })
const readPending = async () => ({ timeMs: 3, groups: [], summary: 'No pod is pending.', notes: [] })
const files = new Map([['/', { contentType: 'text/html; charset=utf-8', text: '<!doctype html>' }]])
let feed: TestFeed
let clock: FakeClock
let server: UiServer

/** A feed that tests change. */
interface TestFeed extends UiFeed {
  users: number
  change(model: UiModel | undefined, problem?: string): void
}

function testFeed(): TestFeed {
  const changed = createNotifier()
  const points = [point(1)]
  let model: UiModel | undefined = empty
  let problem: string | undefined
  return {
    kind: 'live',
    users: 0,
    use() {
      this.users++
      return { [Symbol.dispose]: () => void this.users-- }
    },
    latest: () => model,
    at: (timeMs) => ({ ...empty, timeMs }),
    pointsAfter: (sequence) => ({ points: points.slice(sequence), sequence: points.length }),
    problem: () => problem,
    subscribe: (listener) => changed.subscribe(listener),
    change(nextModel, nextProblem) {
      if (nextModel !== undefined && nextModel !== model) points.push(point(nextModel.timeMs))
      model = nextModel
      problem = nextProblem
      changed.notify()
    },
  }
}

beforeEach(async () => {
  feed = testFeed()
  clock = fakeClock()
  server = await serveUi(0, { files, feed, readPending }, clock)
})
afterEach(() => server[Symbol.asyncDispose]())

const authorized = (): Record<string, string> => ({ authorization: `Bearer ${server.token}` })

describe('serveUi', () => {
  test('listens on loopback, and serves the page without a token and the data with it', async () => {
    expect(server.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await uiRequest(server.origin)).toMatchObject({ status: 200, body: '<!doctype html>' })
    const { status, body } = await uiRequest(`${server.origin}/api/snapshot`, { headers: authorized() })
    expect({ status, model: JSON.parse(body) }).toEqual({ status: 200, model: empty })
    const pending = await uiRequest(`${server.origin}/api/pending`, { headers: authorized() })
    expect(JSON.parse(pending.body)).toEqual({ timeMs: 3, groups: [], summary: 'No pod is pending.', notes: [] })
  })

  test('has a token that cannot be guessed and differs in every run', async () => {
    await using other = await serveUi(0, { files: new Map(), feed, readPending }, clock)
    expect(Buffer.from(server.token, 'base64url')).toHaveLength(32)
    expect(other.token).not.toBe(server.token)
    const headers = { authorization: `Bearer ${other.token}` }
    expect(await uiRequest(`${server.origin}/api/snapshot`, { headers })).toMatchObject({ status: 401 })
  })

  test.for<readonly [name: string, status: number, path: string, sent: Parameters<typeof uiRequest>[1]]>([
    ['without a token', 401, '/api/snapshot', {}],
    ['with the token in the address', 401, '/api/snapshot?token=TOKEN', {}],
    ['of the explanations without a token', 401, '/api/pending', {}],
    ['of the stream without a token', 401, '/api/changes', {}],
    ['of an unknown path of the API without a token', 401, '/api/other', {}],
    ['by another name of this machine', 403, '/', { headers: { host: 'attacker.example' } }],
    ['of another origin', 403, '/api/snapshot', { headers: { origin: 'http://attacker.example' } }],
    ['of another site', 403, '/', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['that would change something', 405, '/api/snapshot', { method: 'DELETE' }],
    ['that asks for permission to send others', 405, '/api/snapshot', { method: 'OPTIONS' }],
    ['of a file that does not exist', 404, '/../package.json', {}],
  ])('refuses a request %s', async ([, status, path, sent]) => {
    const answer = await uiRequest(`${server.origin}${path.replace('TOKEN', server.token)}`, sent)
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('forbids inline scripts, remote files, frames and caches in every response', async () => {
    for (const path of ['/', '/nothing', '/api/snapshot']) {
      const { headers } = await uiRequest(`${server.origin}${path}`)
      const policy = headers['content-security-policy']
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    }
  })

  test('exchanges the code for the token once', async () => {
    const exchange = { method: 'POST', headers: { authorization: `Bearer ${server.code}` } }
    const url = `${server.origin}/api/token`
    expect(await uiRequest(url, { ...exchange, method: 'GET' })).toMatchObject({ status: 405 })
    expect(await uiRequest(url, { ...exchange, headers: authorized() })).toMatchObject({ status: 401 })
    expect(await uiRequest(url, exchange)).toMatchObject({ status: 200, body: server.token })
    expect(await uiRequest(url, exchange)).toMatchObject({ status: 401 })
    expect(await uiRequest(`${server.origin}/api/snapshot`, { headers: exchange.headers })).toMatchObject({
      status: 401,
    })
  })

  test('returns the model of an earlier time, and refuses times that are not numbers', async () => {
    const headers = authorized()
    const { body } = await uiRequest(`${server.origin}/api/snapshot?at=7`, { headers })
    expect(JSON.parse(body)).toEqual({ ...empty, timeMs: 7 })
    for (const at of ['', '-1', '1e9', 'x', '9'.repeat(16)])
      expect(await uiRequest(`${server.origin}/api/snapshot?at=${at}`, { headers })).toMatchObject({ status: 400 })
  })

  test('says why there is no model', async () => {
    feed.change(undefined, 'no route')
    const answer = await uiRequest(`${server.origin}/api/snapshot`, { headers: authorized() })
    expect(answer).toMatchObject({ status: 502, body: 'no route\n' })
    expect(feed.users).toBe(0)
  })

  test('explains nothing for a recording', async () => {
    await using recorded = await serveUi(0, { files, feed, readPending: undefined }, clock)
    const headers = { authorization: `Bearer ${recorded.token}` }
    expect(await uiRequest(`${recorded.origin}/api/pending`, { headers })).toMatchObject({ status: 404 })
  })

  test('streams the model and the timeline, then what changes, and failures once', async () => {
    const stream = await openStream(`${server.origin}/api/changes`, { headers: authorized() })
    const lines = createInterface(stream)[Symbol.asyncIterator]()
    const next = async (): Promise<UiMessage> => JSON.parse((await lines.next()).value ?? '')
    expect(await next()).toEqual({ kind: 'start', feed: 'live', model: empty, points: [point(1)] })

    const changed = { ...empty, timeMs: 2, pendingCount: 3 }
    feed.change(changed)
    const change = await next()
    expect(change).toMatchObject({ kind: 'change', points: [point(2)] })
    expect(change.kind === 'change' && applyChange(empty, change)).toEqual(changed)

    const withNode = { ...changed, timeMs: 3, nodes: ['a', 'b'] }
    feed.change(withNode)
    expect(await next()).toEqual({ kind: 'model', model: withNode, points: [point(3)] })

    feed.change(withNode, 'no route')
    expect(await next()).toEqual({ kind: 'failed', sentence: 'no route' })
    feed.change(withNode, 'no route')
    feed.change(withNode)
    expect(await next()).toEqual({ kind: 'recovered' })
    stream.destroy()
    await vi.waitFor(() => expect(feed.users).toBe(0))
  })

  test('sends a sign of life while nothing changes', async () => {
    const stream = await openStream(`${server.origin}/api/changes`, { headers: authorized() })
    const lines = createInterface(stream)[Symbol.asyncIterator]()
    await lines.next()
    await clock.advance(BEAT_MS)
    expect(JSON.parse((await lines.next()).value ?? '')).toEqual({ kind: 'beat' })
    stream.destroy()
  })

  test('sends one change for many to a page that reads slowly', async () => {
    const stream = await openStream(`${server.origin}/api/changes`, { headers: authorized() })
    // The connection holds some megabytes; until they are read, nothing more is written.
    const notes = ['x'.repeat(1_000_000)]
    const count = 200
    for (let i = 1; i <= count; i++) {
      feed.change({ ...empty, timeMs: 1 + i, pendingCount: i, notes })
      await new Promise((resolve) => setImmediate(resolve))
    }
    const kinds: UiMessage[] = []
    for await (const line of createInterface(stream)) {
      const message: UiMessage = JSON.parse(line)
      kinds.push(message)
      if (message.kind === 'change' && message.pendingCount === count) break
    }
    stream.destroy()
    expect(kinds.length).toBeLessThan(count / 2)
    // No point of the timeline is missing.
    expect(kinds.flatMap((message) => ('points' in message ? message.points : []))).toHaveLength(count + 1)
  })

  test('says which port is taken', async () => {
    const port = Number(new URL(server.origin).port)
    await expect(serveUi(port, { files: new Map(), feed, readPending }, clock)).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_PORT',
    })
  })
})
