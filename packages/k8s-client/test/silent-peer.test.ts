import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectTransport, type ClusterAccess } from '../src/index.ts'
import { fakeClock } from '../src/testing.ts'
import { startTlsServer } from './tls-server.ts'

/** Real time for real sockets to carry a ping and its answer, also where cores are busy. */
const ANSWER_MS = 200

/** Passes bytes on until it is frozen: then the connection stays open and nothing moves. */
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
  test('is asked after half a minute and given up 15 s later; a busy or answering one is not', async () => {
    await using server = await startTlsServer({
      speaks: 'h2',
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
    // Four rounds of silence: each ping is answered.
    for (let round = 0; round < 4; round++) {
      await clock.advance(31_000)
      await pause(ANSWER_MS)
    }
    expect(failure).toBeUndefined()
    proxy.freeze()
    await clock.advance(31_000)
    await pause(ANSWER_MS)
    expect(failure).toBeUndefined()
    await clock.advance(46_000)
    await reading
    expect(failure).toMatchObject({ code: 'BERTH_API_BROKEN', delivered: 'unknown' })
    // The next exchange opens a connection of its own.
    const again = await transport.handle({ method: 'GET', path: '/api/v1/pods?watch=1', headers: {} })
    expect(again.status).toBe(200)
    expect(server.connections()).toBe(2)
  })

  test('a handshake that never ends is given up after ten seconds', async () => {
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
    await pause(ANSWER_MS)
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
