import { silentLogger } from '@berth/types'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startHealthServer } from '@berth/process/health'
import type { StartHealthServerOptions } from '@berth/process/health'
import { createMetrics } from '@berth/process/metrics'

const start = (options: Partial<StartHealthServerOptions> = {}) =>
  startHealthServer({ address: '127.0.0.1:0', checks: [], log: silentLogger, ...options })

async function get(address: string, path: string, method = 'GET') {
  const response = await fetch(`http://${address}${path}`, { method })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

describe('the health server', () => {
  test('answers /livez and /readyz in the shape of healthz', async () => {
    let failure: string | undefined = 'no list yet'
    await using server = await start({ checks: [{ name: 'synced', check: () => failure }] })
    expect(await get(server.address, '/livez')).toMatchObject({ status: 200, text: 'ok' })
    expect(await get(server.address, '/readyz')).toMatchObject({
      status: 500,
      text: '[+]ping ok\n[-]synced failed: no list yet\nreadyz check failed\n',
    })
    expect(await get(server.address, '/readyz?exclude=synced')).toMatchObject({ status: 200 })
    expect(await get(server.address, '/readyz/synced')).toMatchObject({ status: 500 })
    failure = undefined
    expect(await get(server.address, '/readyz')).toMatchObject({ status: 200, text: 'ok' })
    expect(await get(server.address, '/readyz?verbose')).toMatchObject({
      status: 200,
      text: '[+]ping ok\n[+]synced ok\nreadyz check passed\n',
    })
  })

  test.for(['//', '//evil/metrics', '///', '*', 'http://evil/metrics', 'http://[', '/%', '/metrics?%'])(
    'answers 404 to a request for %s and logs no error',
    async (target) => {
      const errors: unknown[] = []
      const log = { ...silentLogger, error: (...entry: unknown[]) => void errors.push(entry) }
      await using server = await start({ log })
      const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1')
      socket.end(`GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
      expect([answer.split('\r\n')[0], errors]).toEqual(['HTTP/1.1 404 Not Found', []])
    },
  )

  test('is not ready once the program ends, but alive', async () => {
    const stop = new AbortController()
    await using server = await start({ stop: stop.signal })
    expect(await get(server.address, '/readyz')).toMatchObject({ status: 200 })
    stop.abort()
    expect(await get(server.address, '/readyz')).toMatchObject({ status: 500 })
    expect(await get(server.address, '/livez')).toMatchObject({ status: 200 })
  })

  test('serves the metrics of its registry', async () => {
    const metrics = createMetrics('sample', { withProcess: false })
    metrics.counter({ name: 'berth_sample_things_total', help: 'Things.', type: 'counter' }).inc()
    await using server = await start({ registry: metrics.registry })
    expect(await get(server.address, '/metrics')).toMatchObject({
      status: 200,
      text: expect.stringContaining('berth_sample_things_total 1'),
      type: expect.stringContaining('text/plain'),
    })
  })

  test.for([
    { path: '/', method: 'GET', status: 404 },
    { path: '/metrics', method: 'GET', status: 404 },
    { path: '/readyz/none', method: 'GET', status: 404 },
    { path: '/livez', method: 'POST', status: 405 },
  ])('$method $path gives $status', async ({ path, method, status }) => {
    await using server = await start()
    expect(await get(server.address, path, method)).toMatchObject({ status })
  })

  test('answers /healthz as /livez', async () => {
    await using server = await start({ checks: [{ name: 'synced', check: () => 'no list yet' }] })
    expect(await get(server.address, '/healthz')).toMatchObject({ status: 200, text: 'ok' })
  })

  test('serves pages, and 404 where a page has no text', async () => {
    const text = (query: URLSearchParams): string | undefined => query.get('pod') ?? undefined
    const pages = new Map([['/debug/pod', { contentType: 'application/json', text }]])
    await using server = await start({ pages })
    expect(await get(server.address, '/debug/pod?pod=a')).toEqual({ status: 200, text: 'a', type: 'application/json' })
    expect(await get(server.address, '/debug/pod')).toMatchObject({ status: 404 })
  })

  test('asks its authorization about the pages that it serves, and about nothing else', async () => {
    const asked: unknown[] = []
    const authorize: StartHealthServerOptions['authorize'] = (request) => {
      asked.push(request)
      return request.token === 'mine' ? undefined : { status: 403, reason: 'no' }
    }
    const pages = new Map([['/configz', { contentType: 'application/json', text: () => '{}' }]])
    await using server = await start({ pages, authorize })
    expect(await get(server.address, '/livez')).toMatchObject({ status: 200 })
    expect(await get(server.address, '/configz')).toMatchObject({ status: 403, text: 'no\n' })
    expect(await get(server.address, '/nowhere')).toMatchObject({ status: 404 })
    expect(await get(server.address, '/metrics')).toMatchObject({ status: 404 })
    const headers = { authorization: 'Bearer mine' }
    expect((await fetch(`http://${server.address}/configz?x=1`, { headers })).status).toBe(200)
    const caller = { address: '127.0.0.1', clientCertificate: undefined, headers: expect.any(Object) as object }
    expect(asked).toEqual([
      { ...caller, path: '/configz', token: undefined, isLoopback: true, signal: expect.any(AbortSignal) as unknown },
      { ...caller, path: '/configz', token: 'mine', isLoopback: true, signal: expect.any(AbortSignal) as unknown },
    ])
  })

  test('aborts the authorization of a request whose connection closes', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const authorize: StartHealthServerOptions['authorize'] = ({ signal }) => {
      asked.resolve(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
    }
    const pages = new Map([['/configz', { contentType: 'application/json', text: () => '{}' }]])
    await using server = await start({ pages, authorize })
    const caller = new AbortController()
    const answer = fetch(`http://${server.address}/configz`, { signal: caller.signal })
    const signal = await asked.promise
    expect(signal.aborted).toBe(false)
    caller.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => signal.aborted).toBe(true)
  })

  test('a registry that fails gives 500 and is logged', async () => {
    const lines: string[] = []
    const log = { ...silentLogger, error: (_fields: unknown, message: string) => void lines.push(message) }
    const registry = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('collect')) }
    await using server = await start({ registry, log })
    expect(await get(server.address, '/metrics')).toMatchObject({ status: 500 })
    expect(lines).toEqual(['Health request failed'])
  })

  /** Opens eight connections to a server that accepts three, and waits until it has closed the oldest five. */
  const crowd = async (address: string): Promise<Disposable> => {
    const [host = '', port = ''] = address.split(':')
    const sockets = Array.from({ length: 8 }, () => connect({ host, port: Number(port) }))
    await Promise.all(sockets.slice(0, 5).map((socket) => once(socket, 'close')))
    return { [Symbol.dispose]: () => sockets.forEach((socket) => socket.destroy()) }
  }

  test('answers while a stranger holds more idle connections than it accepts', async () => {
    await using server = await start({ maxConnections: 3 })
    using _ = await crowd(server.address)
    expect(await get(server.address, '/livez')).toMatchObject({ status: 200 })
  })

  test('limits the connections over HTTPS, too', async () => {
    await using server = await start({ maxConnections: 3, tls: { cert: '', key: '' } })
    using strangers = await crowd(server.address)
    expect(strangers).toBeDefined()
  })

  test('keeps the connection of a request in progress rather than a newer idle one', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const started = Promise.withResolvers<undefined>()
    const check = () => {
      started.resolve(undefined)
      return promise
    }
    await using server = await start({ maxConnections: 2, checks: [{ name: 'slow', check }], checkDeadlineMs: 60_000 })
    const [host = '', port = ''] = server.address.split(':')
    const answer = get(server.address, '/readyz')
    await started.promise
    const sockets = Array.from({ length: 6 }, () => connect({ host, port: Number(port) }))
    try {
      await Promise.all(sockets.slice(0, 5).map((socket) => once(socket, 'close')))
      resolve(undefined)
      expect(await answer).toMatchObject({ status: 200 })
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  test('an occupied port is one clear error', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    await expect(start({ address: `127.0.0.1:${port}` })).rejects.toMatchObject({
      code: 'BERTH_LISTEN_FAILED',
      message: `listen for health and metrics on 127.0.0.1:${port}: the port is in use`,
      hint: expect.stringContaining('--health-address'),
    })
    other.close()
  })

  test('disposing it frees the port', async () => {
    const first = await start()
    await first[Symbol.asyncDispose]()
    await using second = await start({ address: first.address })
    expect(second.address).toBe(first.address)
  })
})
