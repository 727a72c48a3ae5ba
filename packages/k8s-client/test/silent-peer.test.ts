import { fakeClock } from '@berth/clock/testing'
import { systemClock } from '@berth/clock'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger, type Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, connectTransport, resourceRefs, type ClusterAccess } from '../src/index.ts'
import { startTlsServer } from './tls-server.ts'

/**
 * Gives real sockets real time to carry a ping and its answer. It takes many turns of the event loop, because on a busy
 * machine a single timer may fire before anything was read, however long it is.
 */
async function letAnswer(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await pause(2)
}

/** Starts a proxy that forwards bytes until it is frozen; then connections stay open, but silent. */
async function freezableProxy(target: string) {
  const port = Number(new URL(target).port)
  const sockets: Socket[] = []
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) sockets.push(socket.on('error', () => undefined))
    client.pipe(upstream)
    upstream.pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('a peer that falls silent while its connection stays open', () => {
  test('is pinged after half a minute and given up within a minute, unless it answers or sends data', async () => {
    await using server = await startTlsServer({
      protocol: 'h2',
      answer: (_, response) => {
        response.writeHead(200)
        response.write('{}\n')
      },
    })
    await using proxy = await freezableProxy(server.access.server)
    const clock = fakeClock()
    const access = { ...server.access, server: proxy.url }
    await using transport = connectTransport(access, { log: silentLogger, clock })
    const response = await transport.handle({ method: 'GET', path: '/api/v1/pods?watch=1', headers: {} })
    let failure: unknown
    const reading = (async () => {
      for await (const _ of response.body) continue
    })().catch((error: unknown) => (failure = error))
    const pass = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += 5) {
        await clock.advance(5_000)
        await letAnswer()
      }
    }
    // Two minutes of silence: each ping is answered.
    await pass(120)
    expect(failure).toBeUndefined()
    // Even if data arrived right before, it takes less than a minute.
    proxy.freeze()
    await pass(30)
    expect(failure).toBeUndefined()
    await pass(25)
    await reading
    expect(failure).toMatchObject({ code: 'BERTH_API_BROKEN', delivered: 'unknown' })
    // The next request opens a new connection.
    const again = await transport.handle({ method: 'GET', path: '/api/v1/pods?watch=1', headers: {} })
    expect(again.status).toBe(200)
    expect(server.connections()).toBe(2)
  })

  test.for(['h2', 'http/1.1'] as const)(
    'over %s, the call after one that timed out is answered at once',
    async (protocol) => {
      let hangs = false
      await using server = await startTlsServer({
        protocol,
        answer: (_, response) => {
          if (!hangs) setTimeout(() => response.end('{"gitVersion":"v1"}'), 20)
        },
      })
      await using proxy = await freezableProxy(server.access.server)
      await using cluster = connectCluster({
        access: { ...server.access, server: proxy.url },
        log: silentLogger,
        clock: systemClock(),
        random: Math.random,
        userAgent: 'test',
        qps: 0,
      })
      await Promise.all(Array.from({ length: 6 }, () => cluster.serverVersion()))
      proxy.freeze()
      hangs = true
      const pod: Pod = { metadata: { name: 'p', namespace: 'default' }, spec: { containers: [] } }
      const write = cluster.client.create(resourceRefs.pods, pod, { deadlineMs: 300 })
      await expect(write).rejects.toMatchObject({ code: 'BERTH_API_TIMEOUT' })
      hangs = false
      const startedAt = performance.now()
      expect(await cluster.serverVersion({ deadlineMs: 10_000 })).toEqual({ gitVersion: 'v1' })
      expect(performance.now() - startedAt).toBeLessThan(5_000)
    },
  )

  test('gives up a handshake after ten seconds', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((resolve) => server.once('listening', resolve))
    const clock = fakeClock()
    const access: ClusterAccess = {
      source: 'test',
      context: 'test',
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      namespace: undefined,
      ca: undefined,
      tlsServerName: undefined,
      skipTlsVerify: false,
      credentials: () => Promise.resolve({ headers: {} }),
    }
    await using transport = connectTransport(access, { log: silentLogger, clock })
    const call = transport.handle({ method: 'GET', path: '/version', headers: {} })
    call.catch(() => undefined)
    await letAnswer()
    await clock.advance(10_100)
    await expect(call).rejects.toMatchObject({
      code: 'BERTH_API_UNREACHABLE',
      delivered: 'no',
      message: expect.stringContaining('no connection within 10 s') as string,
    })
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
