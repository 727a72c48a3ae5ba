import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeClock } from '@berth/clock/testing'
import { createMetrics } from '@berth/process/metrics'
import { silentLogger, type LogFields } from '@berth/types'
import { metricDefinitions } from '../src/metrics.ts'
import { createCertificateExpiry } from '../src/serving/certificate-expiry.ts'
import { chooseServingMode } from '../src/serving-mode.ts'
import { filesIn, selfSigned } from './test-certificates.ts'
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
  return { clock, warnings, read: (cert: string) => expiry.read({ cert, key: '', ca: undefined }) }
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

test('a file without a certificate that can be read changes nothing', () => {
  const metrics = createMetrics('extender', { withProcess: false }).instruments(metricDefinitions)
  const expiry = createCertificateExpiry({ metrics, clock: fakeClock(), log: silentLogger })
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  expect(() => expiry.read({ cert: broken, key: '', ca: '' })).not.toThrow()
})
