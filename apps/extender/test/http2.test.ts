import { mkdtempSync, rmSync } from 'node:fs'
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ServerHttp2Stream,
  type IncomingHttpHeaders,
  type Settings,
} from 'node:http2'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import { type PerformanceNodeEntry, PerformanceObserver } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server as TlsServer } from 'node:tls'
import type { Pod } from '@berth/types'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { chooseServingMode, type ServingMode } from '../src/serving-mode.ts'
import { filesIn, type Keys, selfSigned } from './test-certificates.ts'
import { post, startTestExtender, type TestExtender } from './test-extender.ts'

const UNITS = 500
/** Above the burst of 1,000 that Node allows by default. */
const RESETS = 2_000
const DONGLE = 'example.com/dongle'
const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }
const dir = mkdtempSync(join(tmpdir(), 'berth-http2-'))
let server: Keys
let caller: Keys
let servingMode: ServingMode

beforeAll(async () => {
  ;[server, caller] = await Promise.all([selfSigned('server'), selfSigned('kube-scheduler')])
  servingMode = chooseServingMode(filesIn(dir, server, caller))
})
afterAll(() => rmSync(dir, { recursive: true }))

/** Emits the number of frames that a session of this process has received as a client, when it ends. */
const framesReceived = new EventEmitter()
const observer = new PerformanceObserver((list) => {
  for (const { name, detail } of list.getEntries() as PerformanceNodeEntry[]) {
    const session = detail as { readonly type: string; readonly framesReceived: number }
    if (name === 'Http2Session' && session.type === 'client') framesReceived.emit('session', session.framesReceived)
  }
})
observer.observe({ entryTypes: ['http2'] })
afterAll(() => observer.disconnect())

async function open({ address }: TestExtender, settings: Settings = {}): Promise<ClientHttp2Session> {
  const session = connect(`https://${address}`, { ca: server.cert, ...caller, settings })
  session.on('error', () => undefined)
  await once(session, 'connect')
  return session
}

async function read(stream: ClientHttp2Stream): Promise<{ readonly status: unknown; readonly json: unknown }> {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
  return { status: headers[':status'], json: JSON.parse(text) }
}

function call(session: ClientHttp2Session, verb: string, sent: unknown, headers = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${verb}`,
    'content-type': 'application/json',
    ...headers,
  })
  stream.end(JSON.stringify(sent))
  return read(stream)
}

test('serves HTTP/2 to a client that asks for it with ALPN, and HTTP/1.1 to others', async () => {
  await using extender = await startTestExtender({ servingMode })
  const session = await open(extender)
  expect(session.alpnProtocol).toBe('h2')
  expect(await call(session, 'filter', body)).toMatchObject({ status: 200, json: { NodeNames: [], Error: '' } })
  session.close()
  const plain = await post(extender.address, '/filter', body, { tls: { ca: server.cert, ...caller } })
  expect(plain.json()).toMatchObject({ NodeNames: [], Error: '' })
})

test('a stream that is closed holds nothing of its call, and a late error is ignored', async () => {
  await using extender = await startTestExtender({ servingMode })
  const streams: ServerHttp2Stream[] = []
  const onStream = (message: unknown): void => void streams.push((message as { stream: ServerHttp2Stream }).stream)
  const session = await open(extender)
  subscribe('http2.server.stream.created', onStream)
  await call(session, 'filter', body)
  unsubscribe('http2.server.stream.created', onStream)
  const [stream] = streams
  if (stream === undefined) throw new Error('no stream was created')
  await expect.poll(() => stream.eventNames()).toEqual(['error'])
  stream.emit('error', new Error('late'))
  session.close()
})

/** Counts the TLS handshakes of all servers in this process until it is disposed. */
function countHandshakes(): Disposable & { readonly count: () => number } {
  const emit = vi.spyOn(TlsServer.prototype, 'emit')
  return {
    count: () => emit.mock.calls.filter(([event]) => event === 'secureConnection').length,
    [Symbol.dispose]: () => emit.mockRestore(),
  }
}

test('500 binds are open at once on one connection, with one TLS handshake', { timeout: 60_000 }, async () => {
  using handshakes = countHandshakes()
  const allOpen = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let bindings = 0
  await using extender = await startTestExtender({
    servingMode,
    bindAs: 'replica-a',
    intercept: (handle) => async (request) => {
      if (request.path.endsWith('/binding') && !request.path.includes('/first/')) {
        bindings += 1
        if (bindings === UNITS) allOpen.resolve()
        await answered.promise
      }
      return handle(request)
    },
  })
  await extender.createNode('node-1', { pods: '1000', [DONGLE]: `${UNITS + 1}` })
  const first = await extender.createPod('first', { [DONGLE]: '1' })
  const pods = []
  for (let i = 0; i < UNITS; i++) pods.push(await extender.createPod(`pod-${i}`, { [DONGLE]: '1' }))
  await extender.clock.advance(1_000)
  const session = await open(extender)
  const bind = ({ metadata: { name, uid } }: Pod) =>
    call(session, 'bind', { PodName: name, PodNamespace: 'default', PodUID: uid, Node: 'node-1' })
  // The replica is elected by its first call.
  expect(await extender.drive(bind(first))).toMatchObject({ json: { Error: '' } })
  expect(session.remoteSettings.maxConcurrentStreams).toBeGreaterThanOrEqual(UNITS)
  const binds = Promise.all(pods.map(bind))
  // No bind is answered before the last one is in flight.
  await allOpen.promise
  answered.resolve()
  const answers = await extender.drive(binds)
  expect(answers.filter(({ json }) => (json as { readonly Error: string }).Error === '')).toHaveLength(UNITS)
  expect(handshakes.count()).toBe(1)
  session.close()
})

test('a caller may reset streams before it reads their end, as kube-scheduler does', async () => {
  await using extender = await startTestExtender({ servingMode })
  const session = await open(extender)
  const codes: unknown[] = []
  session.on('goaway', (code: unknown) => codes.push(code))
  for (let i = 0; i < RESETS / 100; i++)
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const stream = session.request({ ':method': 'POST', ':path': '/filter', 'content-type': 'application/json' })
        stream.end(JSON.stringify(body))
        stream.close(constants.NGHTTP2_CANCEL)
        await once(stream, 'close')
      }),
    )
  expect(await call(session, 'filter', body)).toMatchObject({ status: 200, json: { Error: '' } })
  expect(codes).toEqual([])
  session.close()
})

test('a response over HTTP/2 is one frame of headers and one of data, which ends it', async () => {
  await using extender = await startTestExtender({ servingMode })
  const framesOf = async (calls: number): Promise<number> => {
    const session = await open(extender)
    for (let i = 0; i < calls; i++) await call(session, 'filter', body)
    const counted = once(framesReceived, 'session')
    session.close()
    return Number((await counted)[0])
  }
  expect((await framesOf(21)) - (await framesOf(1))).toBe(20 * 2)
})

test.for(['h2', 'http/1.1'])(
  'a call in flight over %s is answered when the server ends, and its connection ends',
  async (protocol) => {
    const isOpen = Promise.withResolvers<void>()
    const mayAnswer = Promise.withResolvers<void>()
    const extender = await startTestExtender({
      servingMode,
      bindAs: 'replica-a',
      intercept: (handle) => async (request) => {
        if (request.path.endsWith('/binding')) {
          isOpen.resolve()
          await mayAnswer.promise
        }
        return handle(request)
      },
    })
    await extender.createNode('node-1', { pods: '10' })
    const { metadata } = await extender.createPod('web', {})
    await extender.clock.advance(1_000)
    const sent = { PodName: 'web', PodNamespace: 'default', PodUID: metadata.uid, Node: 'node-1' }
    const session = await open(extender)
    const sessionClosed = once(session, 'close')
    const answer =
      protocol === 'h2'
        ? call(session, 'bind', sent)
        : post(extender.address, '/bind', sent, { tls: { ca: server.cert, ...caller, keepAlive: true } })
    const answered = extender.drive(answer)
    await isOpen.promise
    const ended = extender[Symbol.asyncDispose]()
    mayAnswer.resolve()
    const { status } = await answered
    expect(status).toBe(200)
    await ended
    await sessionClosed
    await expect(post(extender.address, '/filter', body, { tls: { ca: server.cert, ...caller } })).rejects.toThrow(
      'ECONNREFUSED',
    )
  },
)

test('refuses a caller without an allowed name over HTTP/2, and closes its connection', async () => {
  await using extender = await startTestExtender({ servingMode, allowedClientNames: ['another'] })
  const session = await open(extender)
  const closed = once(session, 'close')
  const Error = 'forbidden: the client certificate is for kube-scheduler, and allowedClientNames has another'
  expect(await call(session, 'filter', body)).toEqual({ status: 403, json: { Error } })
  await closed
})

test('bounds bodies of unknown size over HTTP/2', async () => {
  await using extender = await startTestExtender({ servingMode, limits: { maxRequestBytes: 10_000 } })
  const session = await open(extender)
  const large = { ...body, Pod: { ...body.Pod, metadata: { name: 'x'.repeat(20_000) } } }
  expect((await call(session, 'filter', large)).status).toBe(413)
  const announced = await call(session, 'filter', large, { 'content-length': JSON.stringify(large).length })
  expect(announced).toMatchObject({ status: 200, json: { Error: expect.stringContaining('the limit is') as string } })
  session.close()
})

test('a body of 100 MB that is refused is answered before it is sent, and uses up no window of its connection', async () => {
  await using extender = await startTestExtender({ servingMode, limits: { maxRequestBytes: 10_000 } })
  const session = await open(extender)
  const part = Buffer.alloc(64 * 1024)
  for (let i = 0; i < 20; i++) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/filter',
      'content-type': 'application/json',
      'content-length': 100_000_000,
    })
    const closed = once(stream, 'close')
    const send = (): void => {
      while (!stream.closed && stream.write(part)) continue
    }
    stream.on('drain', send)
    send()
    const { status, json } = await read(stream)
    expect(status).toBe(200)
    expect(json).toMatchObject({ Error: expect.stringContaining('set nodeCacheCapable to true') as string })
    await closed
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
  }
  // Twenty windows of a stream are more than the window of the connection.
  expect(session.socket.bytesWritten).toBeLessThan(40 * 1024 * 1024)
  expect(await call(session, 'filter', body)).toMatchObject({ status: 200, json: { Error: '' } })
  session.close()
})

test('bounds the bodies of one HTTP/2 connection, and serves the others', async () => {
  await using extender = await startTestExtender({ servingMode, limits: { maxRequestBytes: 10_000 } })
  const session = await open(extender)
  const held = Array.from({ length: 3 }, () => {
    const stream = session.request({ ':method': 'POST', ':path': '/filter', 'content-type': 'application/json' })
    stream.on('error', () => undefined)
    stream.write(' '.repeat(9_000))
    return stream
  })
  const refused = read(held[2] as ClientHttp2Stream)
  const other = await open(extender)
  expect(await call(other, 'filter', body)).toMatchObject({ status: 200, json: { Error: '' } })
  // It is answered before its end.
  expect((await refused).json).toMatchObject({
    Error: expect.stringContaining('the requests in flight on this connection are too large') as string,
  })
  for (const each of [session, other]) each.destroy()
})

const times = { handshakeMs: 5_000, headersMs: 5_000, requestMs: 500, checkMs: 1_000 }

test('closes an HTTP/2 connection that does not finish a body in time', async () => {
  await using extender = await startTestExtender({ servingMode, times })
  const session = await open(extender)
  const stream = session.request({ ':method': 'POST', ':path': '/filter', 'content-type': 'application/json' })
  stream.on('error', () => undefined)
  stream.write('{')
  // The answer of another call shows that the server has seen the first one.
  await call(session, 'filter', body)
  const closed = once(session, 'close')
  await extender.clock.advance(499)
  expect(session.destroyed).toBe(false)
  await extender.clock.advance(1)
  await closed
})

test('closes an HTTP/2 connection that does not read a response in time', async () => {
  await using extender = await startTestExtender({ servingMode, times })
  const session = await open(extender, { initialWindowSize: 0 })
  const stream = session.request({ ':method': 'POST', ':path': '/filter', 'content-type': 'application/json' })
  stream.on('error', () => undefined)
  stream.end(JSON.stringify(body))
  await once(stream, 'response')
  const closed = once(session, 'close')
  await extender.clock.advance(499)
  expect(session.destroyed).toBe(false)
  await extender.clock.advance(1)
  await closed
})

test('closes an HTTP/2 connection that ends the body of a refused call late and does not read its response', async () => {
  await using extender = await startTestExtender({ servingMode, times })
  const session = await open(extender, { initialWindowSize: 0 })
  const stream = session.request({ ':method': 'POST', ':path': '/nope', 'content-type': 'application/json' })
  stream.on('error', () => undefined)
  await once(stream, 'response')
  const closed = once(session, 'close')
  stream.end()
  // Its answer comes after the end.
  await new Promise((resolve) => session.ping(resolve))
  await extender.clock.advance(499)
  expect(session.destroyed).toBe(false)
  await extender.clock.advance(1)
  await closed
})
