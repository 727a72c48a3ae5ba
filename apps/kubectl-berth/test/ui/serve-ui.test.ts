import { createInterface } from 'node:readline'
import { fakeClock, type FakeClock } from '@berth/clock/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyChange } from '../../src/ui/model/model-changes.ts'
import { REFRESH_MS } from '../../src/ui/model/shared-read.ts'
import type { UiMessage, UiModel } from '../../src/ui/model/ui-model.ts'
import { serveUi, type UiServer } from '../../src/ui/server/serve-ui.ts'
import { openStream, uiRequest } from './ui-request.ts'

const empty: UiModel = { timeMs: 1, nodes: ['a'], resources: [], pendingCount: 0, notes: [] }
const readPending = async () => ({ timeMs: 3, groups: [], notes: [] })
let model: UiModel | Error = empty
let clock: FakeClock
let server: UiServer

beforeEach(async () => {
  model = empty
  clock = fakeClock()
  const files = new Map([['/', { contentType: 'text/html; charset=utf-8', text: '<!doctype html>' }]])
  const readModel = async (): Promise<UiModel> => {
    if (model instanceof Error) throw model
    return model
  }
  server = await serveUi(0, { files, readModel, readPending }, clock)
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
    expect(JSON.parse(pending.body)).toEqual({ timeMs: 3, groups: [], notes: [] })
  })

  test('has a token that cannot be guessed and differs in every run', async () => {
    await using other = await serveUi(0, { files: new Map(), readModel: async () => empty, readPending }, clock)
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

  test('streams the model, then what changes, and failures once', async () => {
    const stream = await openStream(`${server.origin}/api/changes`, { headers: authorized() })
    const lines = createInterface(stream)[Symbol.asyncIterator]()
    const next = async (): Promise<UiMessage> => JSON.parse((await lines.next()).value ?? '')
    expect(await next()).toEqual({ kind: 'model', model: empty })

    const changed = { ...empty, timeMs: 2, pendingCount: 3 }
    model = changed
    await clock.advance(REFRESH_MS)
    const change = await next()
    expect(change.kind === 'change' && applyChange(empty, change)).toEqual(changed)

    model = new Error('no route')
    await clock.advance(3 * REFRESH_MS)
    expect(await next()).toEqual({ kind: 'failed', sentence: 'no route' })
    model = changed
    await clock.advance(REFRESH_MS)
    expect(await next()).toEqual({ kind: 'recovered' })
    stream.destroy()
  })

  test('says which port is taken', async () => {
    const port = Number(new URL(server.origin).port)
    await expect(
      serveUi(port, { files: new Map(), readModel: async () => empty, readPending }, clock),
    ).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_PORT',
    })
  })
})
