import { systemClock } from '@berth/clock'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, type ClusterAccess } from '../src/index.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { startSocksProxy } from './socks-proxy.ts'
import { startTlsServer } from './tls-server.ts'

const connect = (access: ClusterAccess) =>
  connectCluster({ access, log: silentLogger, clock: systemClock(), random: Math.random, userAgent: 'test', qps: 0 })
const version = (_: unknown, response: { readonly end: (text: string) => void }): void =>
  response.end('{"gitVersion":"v1.36.3"}')

describe('proxy-url', () => {
  test.for(['h2', 'http/1.1'] as const)('%s uses one persistent tunnel', async (protocol) => {
    await using server = await startTlsServer({ protocol, answer: version })
    await using proxy = await startConnectProxy('me:pass')
    await using cluster = connect({ ...server.access, proxyUrl: proxy.url })
    for (let i = 0; i < 20; i++) expect(await cluster.serverVersion()).toMatchObject({ gitVersion: 'v1.36.3' })
    expect(new Set(proxy.targets)).toEqual(new Set([new URL(server.access.server).host]))
    // The first connection finds out that the server supports only HTTP/1.1.
    expect(proxy.targets.length).toBeLessThanOrEqual(2)
  })

  test('trusts an https proxy by the authority of the cluster, and refuses others', async () => {
    await using server = await startTlsServer({ protocol: 'h2', answer: version })
    await using stranger = await startTlsServer({ protocol: 'h2', answer: version })
    await using proxy = await startConnectProxy('me:pass', server.secrets)
    await using cluster = connect({ ...server.access, proxyUrl: proxy.url })
    expect(await cluster.serverVersion()).toMatchObject({ gitVersion: 'v1.36.3' })
    expect(proxy.targets).toEqual([new URL(server.access.server).host])
    await using untrusted = await startConnectProxy(undefined, stranger.secrets)
    await using refused = connect({ ...server.access, proxyUrl: untrusted.url })
    await expect(refused.serverVersion()).rejects.toMatchObject({
      code: 'BERTH_API_UNREACHABLE',
      message: expect.stringMatching(/: proxy 127\.0\.0\.1:\d+: .*certificate/) as string,
      hint: expect.stringContaining('proxy-url') as string,
    })
    expect(untrusted.targets).toEqual([])
    await using careless = connect({ ...server.access, proxyUrl: untrusted.url, skipTlsVerify: true })
    expect(await careless.serverVersion()).toMatchObject({ gitVersion: 'v1.36.3' })
  })

  test.for(['h2', 'http/1.1'] as const)('%s goes through a SOCKS5 proxy, which resolves names', async (protocol) => {
    await using server = await startTlsServer({ protocol, answer: version })
    await using proxy = await startSocksProxy({ user: 'me:pass' })
    const { port } = new URL(server.access.server)
    await using byAddress = connect({ ...server.access, proxyUrl: proxy.url })
    for (let i = 0; i < 10; i++) expect(await byAddress.serverVersion()).toMatchObject({ gitVersion: 'v1.36.3' })
    expect(new Set(proxy.targets)).toEqual(new Set([`127.0.0.1:${port}`]))
    expect(proxy.targets.length).toBeLessThanOrEqual(2)
    await using byName = connect({ ...server.access, server: `https://localhost:${port}`, proxyUrl: proxy.url })
    await byName.serverVersion()
    expect(proxy.targets).toContain(`localhost:${port}`)
  })

  test.for([
    { it: 'refuses', options: { refuses: true }, user: '', says: /cannot connect to \S+: .*NotAllowed/ },
    { it: 'wants another password', options: { user: 'me:right' }, user: 'me:wrong@', says: /Authentication failed/ },
    { it: 'wants a password', options: { user: 'me:right' }, user: '', says: /cannot connect to \S+: / },
  ])('reports a SOCKS5 proxy that $it in one line without the password', async ({ options, user, says }) => {
    await using server = await startTlsServer({ protocol: 'h2', answer: version })
    await using proxy = await startSocksProxy(options)
    const { host } = new URL(proxy.url)
    await using cluster = connect({ ...server.access, proxyUrl: `socks5://${user}${host}` })
    const error: unknown = await cluster.serverVersion().catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'BERTH_API_UNREACHABLE', delivered: 'no' })
    expect(error).toHaveProperty('hint', expect.stringContaining('proxy-url'))
    expect(String(error)).toMatch(says)
    expect(String(error)).toContain(`proxy ${host}: `)
    expect(String(error)).not.toMatch(/right|wrong|\n/)
  })

  test('plain http uses the proxy, too', async () => {
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
    expect(proxy.targets).toEqual([host])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test('names a proxy that refuses or is unreachable in one line without the password', async () => {
    await using server = await startTlsServer({ protocol: 'h2', answer: version })
    const proxy = await startConnectProxy('me:right')
    const port = new URL(proxy.url).port
    const withProxy = (proxyUrl: string) => connect({ ...server.access, proxyUrl })
    {
      await using cluster = withProxy(`http://me:wrong@127.0.0.1:${port}`)
      const target = new URL(server.access.server).host
      await expect(cluster.serverVersion()).rejects.toMatchObject({
        code: 'BERTH_API_UNREACHABLE',
        message: expect.stringContaining(`proxy 127.0.0.1:${port}: refused to connect to ${target} (407)`) as string,
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
