import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createExtenderTransport, isResponseLost } from './extender-transport.ts'

const call = { signal: new AbortController().signal }

describe('createExtenderTransport', () => {
  test.for([
    { it: 'a CA that cannot be read', tlsConfig: { caFile: '/nowhere/ca.crt' } },
    { it: 'a certificate that cannot be read', tlsConfig: { certFile: '/nowhere/tls.crt' } },
  ])('throws a configuration error for $it', ({ tlsConfig }) => {
    const entry = { urlPrefix: 'https://127.0.0.1:1', enableHTTPS: true, tlsConfig }
    expect(() => createExtenderTransport(entry, 1_000)).toThrow(
      expect.objectContaining({ code: 'BERTH_SCHEDULER_CONFIG_EXTENDER_TLS' }),
    )
  })

  test('reads certificates from base64, and names verb and URL when the connection is refused', async () => {
    const tlsConfig = { caData: Buffer.from('').toString('base64'), serverName: 'extender' }
    using transport = createExtenderTransport(
      { urlPrefix: 'https://127.0.0.1:1///', enableHTTPS: true, tlsConfig },
      1_000,
    )
    await expect(transport.post('filter', '{}', call)).rejects.toMatchObject({
      code: 'BERTH_SCHEDULER_EXTENDER_CALL',
      message: expect.stringMatching(
        /^failed filter with extender at URL https:\/\/127\.0\.0\.1:1\/filter: connect ECONNREFUSED/,
      ) as string,
    })
  })

  test('leaves the other calls alone when a call fails', async () => {
    const held = Promise.withResolvers<ServerResponse>()
    const server = createServer(({ url, socket }, response) => {
      if (url === '/bind') socket.destroy()
      else held.resolve(response)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    using transport = createExtenderTransport({ urlPrefix: `http://127.0.0.1:${port}`, enableHTTPS: false }, 60_000)
    const filtering = transport.post('filter', '{}', call)
    const response = await held.promise
    await expect(transport.post('bind', '{}', call)).rejects.toMatchObject({ code: 'BERTH_SCHEDULER_EXTENDER_CALL' })
    response.end('kept')
    await expect(filtering).resolves.toBe('kept')
    server.close()
    server.closeAllConnections()
  })

  test('withholds a call that may no longer start once it is connected', async () => {
    let calls = 0
    const server = createServer((_request, response) => {
      calls += 1
      response.end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    using transport = createExtenderTransport({ urlPrefix: `http://127.0.0.1:${port}`, enableHTTPS: false }, 60_000)
    let isLeader = true
    const withheld = transport.post('bind', '{}', { ...call, mayStart: () => isLeader })
    isLeader = false
    const error = await withheld.catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      message: expect.stringContaining('not sent: this replica is no longer the leader') as string,
    })
    expect([calls, isResponseLost(error)]).toEqual([0, false])
    server.close()
  })

  test('cancels a call when the scheduler stops', async () => {
    using transport = createExtenderTransport({ urlPrefix: 'http://127.0.0.1:1', enableHTTPS: false }, 1_000)
    await expect(transport.post('filter', '{}', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      retryable: true,
    })
  })
})
