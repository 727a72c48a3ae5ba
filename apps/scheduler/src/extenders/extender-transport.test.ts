import { silentLogger } from '@berth/types'
import { errorText } from '@berth/text/error-text'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { generate } from 'selfsigned'
import { describe, expect, test } from 'vitest'
import { createExtenderTransport, isResponseLost } from './extender-transport.ts'

const certificate = () =>
  generate([{ name: 'commonName', value: 'extender' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  })
const [own, other] = await Promise.all([certificate(), certificate()])
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const call = { signal: new AbortController().signal }

describe('createExtenderTransport', () => {
  test.for([
    { it: 'a CA that cannot be read', tlsConfig: { caFile: '/nowhere/ca.crt' } },
    { it: 'a certificate that cannot be read', tlsConfig: { certFile: '/nowhere/tls.crt' } },
  ])('throws a configuration error for $it', ({ tlsConfig }) => {
    const entry = { urlPrefix: 'https://127.0.0.1:1', tlsConfig }
    expect(() => createExtenderTransport(entry, 1_000, silentLogger)).toThrow(
      expect.objectContaining({ code: 'BERTH_SCHEDULER_CONFIG_EXTENDER_TLS' }),
    )
  })

  test('reads certificates from base64, and names verb and URL when the connection is refused', async () => {
    const tlsConfig = { caData: Buffer.from('').toString('base64'), serverName: 'extender' }
    using transport = createExtenderTransport({ urlPrefix: 'https://127.0.0.1:1///', tlsConfig }, 1_000, silentLogger)
    await expect(transport.post('filter', '{}', call)).rejects.toMatchObject({
      code: 'BERTH_SCHEDULER_EXTENDER_CALL',
      message: expect.stringMatching(
        /^failed filter with extender at URL https:\/\/127\.0\.0\.1:1\/filter: connect ECONNREFUSED/,
      ) as string,
    })
  })

  // Node.js aborts at once for the first, and throws for the second.
  test.for([2 ** 31, 2 ** 33])('waits for a response with a timeout of %i ms', async (timeoutMs) => {
    const server = createServer((_, response) => void setTimeout(() => response.end('verdict'), 50))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    using transport = createExtenderTransport({ urlPrefix: `http://127.0.0.1:${port}` }, timeoutMs, silentLogger)
    expect(await transport.post('filter', '{}', call)).toBe('verdict')
    server.close()
  })

  test.for([
    { it: 'without a CA', tls: () => undefined, outcome: /self-signed certificate/ },
    { it: 'with another CA', tls: () => ({ caData: base64(other.cert) }), outcome: /self-signed certificate/ },
    { it: 'with the CA', tls: () => ({ caData: base64(own.cert) }), outcome: 'verdict' },
    { it: 'with insecure', tls: () => ({ insecure: true }), outcome: 'verdict', warnings: 1 },
  ])('verifies the certificate of an extender $it', async ({ tls, outcome, warnings = 0 }) => {
    const server = createHttpsServer({ key: own.private, cert: own.cert }, (_, response) => response.end('verdict'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const tlsConfig = tls()
    let warned = 0
    const log = { ...silentLogger, warn: () => void warned++ }
    const entry = { urlPrefix: `https://127.0.0.1:${port}`, enableHTTPS: true, ...(tlsConfig && { tlsConfig }) }
    using transport = createExtenderTransport(entry, 10_000, log)
    const answer = transport.post('filter', '{}', call).catch(errorText)
    expect(await answer).toMatch(outcome)
    expect(warned).toBe(warnings)
    server.close()
    server.closeAllConnections()
  })

  test.for([
    { it: 'has its CA', hasRoot: true, outcome: 'verdict' },
    { it: 'does not have its CA', hasRoot: false, outcome: 'self-signed certificate' },
  ])('verifies an extender without a configured CA against the system, which $it', async ({ hasRoot, outcome }) => {
    const server = createHttpsServer({ key: own.private, cert: own.cert }, (_, response) => response.end('verdict'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const dir = mkdtempSync(join(tmpdir(), 'berth-roots-'))
    const roots = join(dir, 'roots.crt')
    writeFileSync(roots, (hasRoot ? own : other).cert)
    const script = `
      import { createExtenderTransport } from ${JSON.stringify(new URL('extender-transport.ts', import.meta.url).href)}
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      using transport = createExtenderTransport({ urlPrefix: 'https://127.0.0.1:${port}', enableHTTPS: true }, 10_000, log)
      const call = { signal: new AbortController().signal }
      console.log(await transport.post('filter', '{}', call).catch(({ message }) => message))`
    const { promise, resolve } = Promise.withResolvers<string>()
    const args = ['-C', '@berth/source', '--input-type=module', '--eval', script]
    // The roots of the system are read once in the life of a process.
    const env = { ...process.env, SSL_CERT_FILE: roots, SSL_CERT_DIR: dir }
    execFile(process.execPath, args, { env }, (_, stdout, stderr) => resolve(stdout + stderr))
    expect(await promise).toContain(outcome)
    server.close()
    server.closeAllConnections()
    rmSync(dir, { recursive: true })
  })

  test('hides the password of the URL in errors', async () => {
    using transport = createExtenderTransport({ urlPrefix: 'http://me:secret@127.0.0.1:1' }, 1_000, silentLogger)
    const failure = await transport.post('filter', '{}', call).catch((error: unknown) => inspect(error))
    expect(failure).toContain('extender at URL http://…@127.0.0.1:1/filter')
    expect(failure).not.toContain('secret')
  })

  test('leaves the other calls alone when a call fails', async () => {
    const held = Promise.withResolvers<ServerResponse>()
    const server = createServer(({ url, socket }, response) => {
      if (url === '/bind') socket.destroy()
      else held.resolve(response)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    using transport = createExtenderTransport({ urlPrefix: `http://127.0.0.1:${port}` }, 60_000, silentLogger)
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
    using transport = createExtenderTransport({ urlPrefix: `http://127.0.0.1:${port}` }, 60_000, silentLogger)
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
    using transport = createExtenderTransport({ urlPrefix: 'http://127.0.0.1:1' }, 1_000, silentLogger)
    await expect(transport.post('filter', '{}', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      retryable: true,
    })
  })
})
