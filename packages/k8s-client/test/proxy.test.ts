import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, type ClusterAccess } from '../src/index.ts'
import { realClock } from '../src/testing.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { startTlsServer } from './tls-server.ts'

const connect = (access: ClusterAccess) =>
  connectCluster({ access, log: silentLogger, clock: realClock(), random: Math.random, userAgent: 'test', qps: 0 })
const version = (_: unknown, response: { readonly end: (text: string) => void }): void =>
  response.end('{"gitVersion":"v1.36.3"}')

describe('proxy-url', () => {
  test.for(['h2', 'http/1.1'] as const)('%s goes through one kept tunnel', async (speaks) => {
    await using server = await startTlsServer({ speaks, answer: version })
    await using proxy = await startConnectProxy('me:pass')
    await using cluster = connect({ ...server.access, proxyUrl: proxy.url })
    for (let i = 0; i < 20; i++) expect(await cluster.serverVersion()).toMatchObject({ gitVersion: 'v1.36.3' })
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(server.access.server).host]))
    // HTTP/1.1 is found out on a first connection.
    expect(proxy.asked.length).toBeLessThanOrEqual(2)
  })

  test('plain http goes through it too', async () => {
    const server = createServer(version).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    await using proxy = await startConnectProxy()
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    {
      await using cluster = connect({
        source: 'test',
        context: 'test',
        server: `http://${host}`,
        namespace: undefined,
        ca: undefined,
        tlsServerName: undefined,
        skipTlsVerify: false,
        proxyUrl: proxy.url,
        credentials: () => Promise.resolve({ headers: {} }),
      })
      await cluster.serverVersion()
    }
    expect(proxy.asked).toEqual([host])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test('a proxy that refuses, and one that is not there, are named in one line without the password', async () => {
    await using server = await startTlsServer({ speaks: 'h2', answer: version })
    const proxy = await startConnectProxy('me:right')
    const port = new URL(proxy.url).port
    const withProxy = (proxyUrl: string) => connect({ ...server.access, proxyUrl })
    {
      await using cluster = withProxy(`http://me:wrong@127.0.0.1:${port}`)
      const target = new URL(server.access.server).host
      await expect(cluster.serverVersion()).rejects.toMatchObject({
        code: 'BERTH_API_UNREACHABLE',
        message: expect.stringContaining(`proxy 127.0.0.1:${port} refused to connect to ${target} (407)`) as string,
      })
    }
    await proxy[Symbol.asyncDispose]()
    await using cluster = withProxy(proxy.url)
    const error: unknown = await cluster.serverVersion().catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'BERTH_API_UNREACHABLE', delivered: 'no' })
    expect(String(error)).toContain(`proxy 127.0.0.1:${port}: connect ECONNREFUSED`)
    expect(String(error)).not.toContain('right')
  })
})
