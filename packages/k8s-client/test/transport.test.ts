import { systemClock } from '@berth/clock'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type ClientHttp2Stream, constants, Http2ServerResponse } from 'node:http2'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, connectTransport, resourceRefs, type ClusterAccess, type Credentials } from '../src/index.ts'
import { startTlsServer, type TlsServer } from './tls-server.ts'

const clock = systemClock()
const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [] } }

const created = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume()
  request.once('end', () => {
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end('{"kind":"Status","status":"Success"}')
  })
}

const connect = (access: ClusterAccess) =>
  connectCluster({ access, log: silentLogger, clock, random: Math.random, userAgent: 'test', qps: 0 })

describe.for(['h2', 'http/1.1'] as const)('over %s', (protocol) => {
  test('1,000 binds do not need a handshake each', async () => {
    await using server = await startTlsServer({ protocol, answer: created })
    await using cluster = connect(server.access)
    for (let i = 0; i < 1_000; i++) expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test('a write is not sent if mayStart turns false while the connection is made', async () => {
    let requests = 0
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      requests += 1
      created(request, response)
    }
    await using server = await startTlsServer({ protocol, answer })
    await using cluster = connect(server.access)
    let checks = 0
    // By the caller, by the persistent connection, and over HTTP/1.1 once more when there is a connection.
    const last = protocol === 'h2' ? 2 : 3
    const mayStart = (): boolean => ++checks < last
    const write = cluster.client.create(resourceRefs.configMaps, { metadata: { name: 'c' } }, { mayStart })
    await expect(write).rejects.toMatchObject({ code: 'BERTH_API_WITHHELD', delivered: 'no' })
    expect(checks).toBe(last)
    await cluster.client.create(resourceRefs.configMaps, { metadata: { name: 'd' } })
    expect(requests).toBe(1)
  })

  test('a connection that is closed before it is ready ends quietly', async () => {
    await using server = await startTlsServer({ protocol, answer: created })
    await using cluster = connect(server.access)
    let checks = 0
    const mayStart = (): boolean => ++checks === 1
    const write = cluster.client.create(resourceRefs.configMaps, { metadata: { name: 'c' } }, { mayStart })
    await expect(write).rejects.toMatchObject({ delivered: 'no' })
    await cluster[Symbol.asyncDispose]()
    // An error would be thrown in a later turn of the event loop.
    await turns()
    await until(() => server.sessions.size === 0)
  })

  test('watches and calls do not share a connection', async () => {
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => {
        if (request.url?.includes('watch=1') === true) {
          response.writeHead(200)
          response.write(
            '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
          )
        } else created(request, response)
      },
    })
    await using cluster = connect(server.access)
    const pods = cluster.reflect(resourceRefs.pods)
    await pods.waitForSync()
    const before = server.connections()
    await Promise.all(Array.from({ length: 8 }, () => cluster.client.bind(pod, 'n')))
    expect(server.connections()).toBeGreaterThan(before)
    expect(pods.lastResourceVersion()).toBe('7')
  })

  test('events and leases do not wait for the connection of calls that hang', async () => {
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => {
        if (request.url?.includes('/binding') !== true) created(request, response)
      },
    })
    await using cluster = connect(server.access)
    const stop = new AbortController()
    // More binds than a connection has streams, or a pool has sockets.
    const binds = Array.from({ length: 300 }, () => cluster.client.bind(pod, 'n', { signal: stop.signal }))
    const named = { metadata: { namespace: 'team', name: 'web' } }
    const writes = [resourceRefs.leases, resourceRefs.events].map((ref) => cluster.client.create(ref, named))
    expect(await Promise.all(writes)).toHaveLength(2)
    stop.abort(new Error('over'))
    await Promise.all(binds)
  })

  test('a large list whose reader stalls does not delay calls', async () => {
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => {
        if (request.method === 'POST') return created(request, response)
        response.writeHead(200)
        for (let i = 0; i < 40; i++) response.write('x'.repeat(1_000_000))
      },
    })
    await using transport = connectTransport(server.access, { log: silentLogger, clock })
    await using cluster = connectCluster({
      handler: transport.handle,
      log: silentLogger,
      clock,
      random: Math.random,
      userAgent: 'test',
      qps: 0,
    })
    // The windows of three streams are 12 MB together, that of the connection is 8 MB.
    const lists = ['/a', '/b', '/c'].map((path) => transport.handle({ method: 'GET', path, headers: {}, isBulk: true }))
    const opened = await Promise.all(lists)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await cluster.client.bind(pod, 'n', { deadlineMs: 5_000 })).toEqual({ kind: 'bound' })
    for (const { body } of opened) await body[Symbol.asyncIterator]().return?.()
  })

  test('a large response and a large request arrive complete', async () => {
    const text = 'x'.repeat(3_000_000)
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.once('end', () => response.end(Buffer.concat(chunks)))
      },
    })
    await using cluster = connect(server.access)
    const object = { metadata: { name: 'big', annotations: { text } } }
    expect(await cluster.client.create(resourceRefs.configMaps, object)).toMatchObject(object)
  })

  test('a response that ends early is an error, not a short body', async () => {
    await using server = await startTlsServer({
      protocol,
      answer: (_, response) => {
        response.writeHead(200)
        response.write('{"kind":')
        setImmediate(() => server.sockets.forEach((socket) => socket.destroy()))
      },
    })
    await using transport = connectTransport(server.access, { log: silentLogger, clock })
    const read = async (): Promise<void> => {
      const response = await transport.handle({ method: 'GET', path: '/x', headers: {} })
      for await (const _ of response.body) continue
    }
    await expect(read()).rejects.toMatchObject({ code: 'BERTH_API_BROKEN', delivered: 'unknown' })
  })

  test('aborting ends one request and keeps the connection', async () => {
    let hangs = true
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => (hangs ? undefined : created(request, response)),
    })
    await using cluster = connect(server.access)
    const call = cluster.client.create(resourceRefs.configMaps, { metadata: { name: 'c' } }, { deadlineMs: 50 })
    await expect(call).rejects.toMatchObject({ code: 'BERTH_API_TIMEOUT' })
    hangs = false
    expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    expect(server.connections()).toBeLessThanOrEqual(3)
  })

  test('a 401 reloads the credentials once', async () => {
    let token = 'old'
    let refreshes = 0
    const seen: (string | undefined)[] = []
    const credentials: ClusterAccess['credentials'] = (options): Promise<Credentials> => {
      if (options?.refresh === true) {
        refreshes += 1
        token = 'new'
      }
      return Promise.resolve({ headers: { authorization: `Bearer ${token}` } })
    }
    await using server = await startTlsServer({
      protocol,
      answer: (request, response) => {
        seen.push(request.headers.authorization)
        if (request.headers.authorization === 'Bearer new') return created(request, response)
        response.writeHead(401)
        response.end('{"kind":"Status","code":401,"reason":"Unauthorized"}')
      },
      access: { credentials },
    })
    await using cluster = connect(server.access)
    expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    expect({ refreshes, seen }).toEqual({ refreshes: 1, seen: ['Bearer old', 'Bearer new', 'Bearer new'] })
  })

  test('calls after closing are refused', async () => {
    await using server = await startTlsServer({ protocol, answer: created })
    const transport = connectTransport(server.access, { log: silentLogger, clock })
    await transport[Symbol.asyncDispose]()
    const call = transport.handle({ method: 'GET', path: '/x', headers: {} })
    await expect(call).rejects.toMatchObject({ code: 'BERTH_API_CLOSED' })
  })
})

test.for([
  [false, '2.0'],
  [true, '1.1'],
] as const)('with isHttp1Only %s, uses HTTP/%s on a server that supports both', async ([isHttp1Only, version]) => {
  const versions: string[] = []
  await using server = await startTlsServer({
    protocol: 'both',
    answer: (request, response) => {
      versions.push(request.httpVersion)
      created(request, response)
    },
  })
  await using transport = connectTransport(server.access, { log: silentLogger, clock, isHttp1Only })
  const { status, body } = await transport.handle({ method: 'GET', path: '/x', headers: {} })
  for await (const _ of body) continue
  expect([status, versions, server.connections()]).toEqual([201, [version], 1])
})

describe('trust', () => {
  test('a certificate of an unknown authority is refused with a hint', async () => {
    await using server = await startTlsServer({ protocol: 'h2', answer: created })
    await using cluster = connect({ ...server.access, ca: undefined })
    const call = cluster.serverVersion()
    await expect(call).rejects.toMatchObject({
      code: 'BERTH_API_UNTRUSTED',
      hint: expect.stringContaining('certificate-authority') as string,
    })
  })

  test.for([
    ['has expired', { notAfter: new Date(Date.now() - 86_400_000) }, 'certificate has expired', 'Renew'],
    [
      'is for another name',
      { names: ['other.example.com'] },
      "IP: 127.0.0.1 is not in the cert's list",
      'tls-server-name',
    ],
  ] as const)('reports a certificate that %s in one line, without a retry', async ([, certificate, reason, hint]) => {
    await using server = await startTlsServer({ protocol: 'h2', answer: created, certificate })
    await using cluster = connect(server.access)
    const error: unknown = await cluster.client.list(resourceRefs.pods).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'BERTH_API_UNTRUSTED', retryable: false, delivered: 'no' })
    expect(error).toHaveProperty('hint', expect.stringContaining(hint))
    expect(String(error)).toContain(reason)
    expect(String(error)).not.toContain('\n')
    expect(server.attempts()).toBe(1)
  })

  test('insecure-skip-tls-verify is honoured', async () => {
    await using server = await startTlsServer({ protocol: 'h2', answer: created })
    await using cluster = connect({ ...server.access, ca: undefined, skipTlsVerify: true })
    expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
  })

  test('verifies the certificate against tls-server-name', async () => {
    await using server = await startTlsServer({ protocol: 'h2', answer: created })
    await using right = connect({ ...server.access, tlsServerName: 'localhost' })
    expect(await right.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    await using wrong = connect({ ...server.access, tlsServerName: 'example.com' })
    await expect(wrong.serverVersion()).rejects.toMatchObject({ code: 'BERTH_API_UNTRUSTED' })
  })
})

describe('connections that end', () => {
  test('after GOAWAY, calls in flight complete and the next call opens a new session', async () => {
    let inFlight: ServerResponse | undefined
    await using server = await startTlsServer({
      protocol: 'h2',
      answer: (request, response) => {
        if (request.url === '/version') inFlight = response
        else created(request, response)
      },
    })
    await using cluster = connect(server.access)
    const slow = cluster.serverVersion()
    await until(() => inFlight !== undefined)
    for (const session of server.sessions) session.goaway()
    await turns()
    expect(await cluster.client.bind(pod, 'n')).toEqual({ kind: 'bound' })
    expect(server.connections()).toBe(2)
    inFlight?.end('{"major":"1","minor":"36","gitVersion":"v1.36.0"}')
    expect(await slow).toMatchObject({ minor: '36' })
  })

  test('sends a write again that the server refused unread four times', async () => {
    let calls = 0
    await using server = await startTlsServer({
      protocol: 'h2',
      answer: (request, response) => {
        calls += 1
        if (calls > 4) return created(request, response)
        if (response instanceof Http2ServerResponse) response.stream.close(constants.NGHTTP2_REFUSED_STREAM)
      },
    })
    await using cluster = connect(server.access)
    await cluster.client.create(resourceRefs.configMaps, { metadata: { name: 'c', namespace: 'default' } })
    expect(calls).toBe(5)
  })

  test('after a broken connection, retries a read on a new one and reports a bind as unknown', async () => {
    let breaks = 1
    await using server: TlsServer = await startTlsServer({
      protocol: 'h2',
      answer: (request, response) => {
        if (breaks-- > 0) return server.sockets.forEach((socket) => socket.destroy())
        if (request.method === 'GET') response.end(JSON.stringify({ ...pod, spec: { nodeName: 'n', containers: [] } }))
        else created(request, response)
      },
    })
    await using cluster = connect(server.access)
    expect(await cluster.client.get(resourceRefs.pods, { namespace: 'default', name: 'p' })).toMatchObject({
      spec: { nodeName: 'n' },
    })
    breaks = 1
    expect(await cluster.client.bind(pod, 'n')).toMatchObject({ kind: 'unknown', cause: { delivered: 'unknown' } })
  })

  test('reports an unreachable server in one line with a hint, after few attempts', async () => {
    // No process can get this port, unlike one that was free a moment ago.
    const port = 1
    for (const scheme of ['http', 'https']) {
      const access = { ...anonymous, server: `${scheme}://127.0.0.1:${port}` }
      await using cluster = connect(access)
      await expect(cluster.serverVersion()).rejects.toMatchObject({
        code: 'BERTH_API_UNREACHABLE',
        message: expect.stringMatching(
          new RegExp(`^GET ${scheme}://127.0.0.1:${port}/version: connect ECONNREFUSED`),
        ) as string,
        hint: expect.stringContaining('API server') as string,
      })
    }
  })

  test('sends no credentials to an http server, and reads none, as kubectl', async () => {
    const sent: (string | undefined)[] = []
    const server = createServer(({ headers }, response) => {
      sent.push(headers.authorization)
      response.writeHead(401).end('{"kind":"Status","code":401}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    let reads = 0
    const credentials = (): Promise<Credentials> => {
      reads++
      return Promise.resolve({ headers: { authorization: 'Bearer secret' } })
    }
    {
      const { port } = server.address() as AddressInfo
      await using cluster = connect({ ...anonymous, credentials, server: `http://127.0.0.1:${port}` })
      await expect(cluster.serverVersion()).rejects.toMatchObject({ status: 401 })
    }
    expect([sent, reads]).toEqual([[undefined], 0])
    await new Promise((resolve) => server.close(resolve))
  })

  test('uses plain http below a path prefix if the kubeconfig says http', async () => {
    const paths: (string | undefined)[] = []
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.end('{"major":"1","minor":"36","gitVersion":"v1.36.0"}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    {
      await using cluster = connect({ ...anonymous, server: `http://127.0.0.1:${port}/clusters/one` })
      expect(await cluster.serverVersion()).toMatchObject({ gitVersion: 'v1.36.0' })
    }
    expect(paths).toEqual(['/clusters/one/version'])
    await new Promise((resolve) => server.close(resolve))
  })
})

const anonymous: Omit<ClusterAccess, 'server'> = {
  source: 'test',
  context: 'test',
  namespace: undefined,
  ca: undefined,
  tlsServerName: undefined,
  skipTlsVerify: false,
  credentials: () => Promise.resolve({ headers: {} }),
}

async function until(isDone: () => boolean): Promise<void> {
  const endMs = performance.now() + 20_000
  while (!isDone() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 5))
  if (!isDone()) throw new Error('it did not happen within twenty seconds')
}

/** Turns of the event loop in which both sides read what was sent; one timer may be due before anything is read. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 2))
}

test('a stream that is closed holds nothing of its call, and a late error is ignored', async () => {
  await using server = await startTlsServer({ protocol: 'h2', answer: created })
  await using cluster = connect(server.access)
  const streams: ClientHttp2Stream[] = []
  const onStream = (message: unknown): void => void streams.push((message as { stream: ClientHttp2Stream }).stream)
  subscribe('http2.client.stream.created', onStream)
  await cluster.client.bind(pod, 'n')
  unsubscribe('http2.client.stream.created', onStream)
  const [stream] = streams
  if (stream === undefined) throw new Error('no stream was created')
  await expect.poll(() => stream.eventNames()).toEqual(['error'])
  stream.emit('error', new Error('late'))
})

test('a stream whose reader stalls and then leaves is closed at once', async () => {
  await using server = await startTlsServer({
    protocol: 'h2',
    answer: (_, response) => {
      response.writeHead(200)
      for (let i = 0; i < 4; i++) response.write('x'.repeat(1_000_000))
    },
  })
  await using transport = connectTransport(server.access, { log: silentLogger, clock })
  const streams: ClientHttp2Stream[] = []
  const onStream = (message: unknown): void => void streams.push((message as { stream: ClientHttp2Stream }).stream)
  subscribe('http2.client.stream.created', onStream)
  const { body } = await transport.handle({ method: 'GET', path: '/x', headers: {} })
  unsubscribe('http2.client.stream.created', onStream)
  const [stream] = streams
  if (stream === undefined) throw new Error('no stream was created')
  await expect.poll(() => stream.isPaused()).toBe(true)
  await body[Symbol.asyncIterator]().return?.()
  await expect.poll(() => stream.destroyed).toBe(true)
})
