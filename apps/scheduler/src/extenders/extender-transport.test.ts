import { describe, expect, test } from 'vitest'
import { createExtenderTransport } from './extender-transport.ts'

const never = new AbortController().signal

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
    await expect(transport.post('filter', '{}', never)).rejects.toMatchObject({
      code: 'BERTH_SCHEDULER_EXTENDER_CALL',
      message: expect.stringMatching(
        /^failed filter with extender at URL https:\/\/127\.0\.0\.1:1\/filter: connect ECONNREFUSED/,
      ) as string,
    })
  })

  test('cancels a call when the scheduler stops', async () => {
    using transport = createExtenderTransport({ urlPrefix: 'http://127.0.0.1:1', enableHTTPS: false }, 1_000)
    await expect(transport.post('filter', '{}', AbortSignal.abort())).rejects.toMatchObject({ retryable: true })
  })
})
