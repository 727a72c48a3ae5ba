import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { fakeClock } from '@berth/clock/testing'
import { createMetrics } from '@berth/process/metrics'
import { silentLogger, type LogFields } from '@berth/types'
import { metricDefinitions } from '../src/metrics.ts'
import { createCertificateExpiry } from '../src/serving/certificate-expiry.ts'
import { chooseServingMode } from '../src/serving-mode.ts'
import { filesIn, type Keys, selfSigned } from './test-certificates.ts'
import { post, startTestExtender } from './test-extender.ts'

const DAY_MS = 86_400_000

test('metrics say when the certificates of server, authority and caller expire', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-expiry-'))
  try {
    // In whole seconds, as in certificates. TLS compares it with the clock of the machine.
    const realNowMs = Math.floor(Date.now() / 1_000) * 1_000
    const expiry = {
      server: realNowMs + 40 * DAY_MS,
      caller: realNowMs + 50 * DAY_MS,
      renewed: realNowMs + 90 * DAY_MS,
    }
    const server = await selfSigned('server', [], expiry.server)
    const caller = await selfSigned('kube-scheduler', [], expiry.caller)
    await using extender = await startTestExtender({ servingMode: chooseServingMode(filesIn(dir, server, caller)) })
    const expiries = async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries(
        [
          ...(await extender.metrics.registry.metrics()).matchAll(
            /^berth_extender_certificate_expiry_timestamp_seconds{certificate="([\w-]+)"} (\S+)$/gm,
          ),
        ].map(([, name = '', seconds = '']) => [name, Number(seconds) * 1_000]),
      )
    expect(await expiries()).toEqual({ server: expiry.server, 'client-ca': expiry.caller })
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }
    await post(extender.address, '/filter', body, { tls: { ca: server.cert, ...caller } })
    expect(await expiries()).toEqual({ server: expiry.server, 'client-ca': expiry.caller, client: expiry.caller })

    filesIn(dir, await selfSigned('server', [], expiry.renewed), caller)
    await extender.clock.advance(30_000)
    expect(await expiries()).toMatchObject({ server: expiry.renewed })
  } finally {
    rmSync(dir, { recursive: true })
  }
})

const START_MS = Date.parse('2026-06-01T00:00:00Z')

/** A report in virtual time, and its warnings. Takes the certificate of the server. */
function startReport() {
  const clock = fakeClock({ startMs: START_MS })
  const warnings: unknown[] = []
  const log = { ...silentLogger, warn: (fields: LogFields) => void warnings.push(fields) }
  const metrics = createMetrics('extender', { withProcess: false }).instruments(metricDefinitions)
  const expiry = createCertificateExpiry({ metrics, clock, log })
  const days = async (): Promise<number | undefined> => {
    const { values } = await metrics.certificateExpiry.get()
    const client = values.find(({ labels }) => labels['certificate'] === 'client')
    return client && Math.round((client.value * 1_000 - Date.now()) / DAY_MS)
  }
  return { clock, warnings, expiry, days, read: (cert: string) => expiry.read({ cert, key: '', ca: undefined }) }
}

/** A certificate from and to a day of the virtual time. */
const validDays = async (from: number, to: number): Promise<string> =>
  (await selfSigned('a', [], START_MS + to * DAY_MS, START_MS + from * DAY_MS)).cert

test('warns once, 30 days before a certificate expires, and again for the next one', async () => {
  const { clock, warnings, read } = startReport()
  const [first, second] = await Promise.all([validDays(-300, 31), validDays(-300, 60)])
  read(first)
  expect(warnings).toEqual([])
  await clock.advance(DAY_MS)
  read(first)
  read(first)
  expect(warnings).toEqual([{ certificate: 'server', expires: '2026-07-02T00:00:00.000Z' }])
  read(second)
  expect(warnings).toHaveLength(1)
  await clock.advance(29 * DAY_MS)
  read(second)
  expect(warnings).toHaveLength(2)
})

test('does not warn about a short-lived certificate before the last sixth of its lifetime', async () => {
  const { clock, warnings, read } = startReport()
  const short = await validDays(0, 30)
  read(short)
  await clock.advance(24 * DAY_MS)
  read(short)
  expect(warnings).toEqual([])
  await clock.advance(1.5 * DAY_MS)
  read(short)
  expect(warnings).toHaveLength(1)
})

test('of connected callers, the first to expire counts; a day after the last connection, none does', async () => {
  const { clock, expiry, days } = startReport()
  const nowMs = Date.now()
  const keys = await Promise.all([20, 50].map((left) => selfSigned(`caller-${left}`, [], nowMs + left * DAY_MS)))
  const [old, renewed] = keys
  const listener = createServer({
    ...(await selfSigned('server')),
    requestCert: true,
    ca: keys.map(({ cert }) => cert),
  })
  listener.on('secureConnection', (socket) => expiry.connected(socket.resume()))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  try {
    const open = async (caller: Keys | undefined) => {
      const connected = once(listener, 'secureConnection')
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...caller })
      const [accepted] = (await connected) as [NodeJS.EventEmitter]
      return async (): Promise<void> => {
        const closed = once(accepted, 'close')
        socket.destroy()
        await closed
      }
    }
    const closeFirst = await open(old)
    const closeSecond = await open(renewed)
    expect(await days()).toBe(20)
    await closeFirst()
    expect(await days()).toBe(50)
    await closeSecond()
    await clock.advance(DAY_MS - 1)
    expect(await days()).toBe(50)
    await clock.advance(1)
    expect(await days()).toBeUndefined()
  } finally {
    listener.close()
  }
})

test('a file without a certificate that can be read changes nothing', () => {
  const metrics = createMetrics('extender', { withProcess: false }).instruments(metricDefinitions)
  const expiry = createCertificateExpiry({ metrics, clock: fakeClock(), log: silentLogger })
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  expect(() => expiry.read({ cert: broken, key: '', ca: '' })).not.toThrow()
})
