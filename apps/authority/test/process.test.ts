import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { startProgram, type RunningProgram } from '@berth/process/testing'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { silentLogger, type KubernetesObject, type Pod } from '@berth/types'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { handshake, tlsSide } from '@berth/testing'

const namespace = 'default'
const secrets = { ...resourceRefs.configMaps, plural: 'secrets', kind: 'Secret' }
const main = join(import.meta.dirname, '../src/main.ts')
let dir = ''
let cluster: EmbeddedCluster
let client: ApiClient
let close: () => PromiseLike<void>
const started: RunningProgram[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'berth-authority-'))
  cluster = await startEmbeddedCluster({ nodes: 0, clock: systemClock(), random: Math.random })
  const file = join(dir, 'kubeconfig')
  writeFileSync(file, cluster.served?.kubeconfig() ?? '')
  const access = loadKubeconfig({ path: file, env: {}, home: dir })
  const connected = connectCluster({
    access,
    log: silentLogger,
    clock: systemClock(),
    random: Math.random,
    userAgent: 'test',
  })
  client = connected.client
  close = () => connected[Symbol.asyncDispose]()
})
afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM')
  await Promise.all(started.map(({ ended }) => ended))
  await close()
  await cluster[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

/** Starts the authority. Returns the address of its metrics. */
async function start(...flags: readonly string[]): Promise<string> {
  const common = [
    '--kubeconfig',
    join(dir, 'kubeconfig'),
    '--namespace',
    namespace,
    '--lease',
    `${namespace}/authority`,
  ]
  const program = startProgram(main, [...common, '--health-address=127.0.0.1:0', ...flags])
  started.push(program)
  const { address } = await program.line('Serving health')
  return String(address)
}

async function data(name: string): Promise<Readonly<Record<string, string>>> {
  const secret = await client.get<KubernetesObject & { data: Readonly<Record<string, string>> }>(secrets, {
    namespace,
    name,
  })
  return Object.fromEntries(
    Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  )
}

const waitFor = <T>(look: () => Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 60_000, interval: 100 })

test('a standby takes over, replaces a lost authority, and waits for the restart of kube-scheduler before it uses the new one', async () => {
  const labels = { app: 'kube-scheduler' }
  const pod = { namespace, name: 'kube-scheduler' }
  const containers = [{ name: 'kube-scheduler', image: 'none' }]
  await client.create<Pod>(resourceRefs.pods, { metadata: { ...pod, labels }, spec: { containers } })
  const setStarted = async (ms: number): Promise<void> => {
    const state = { running: { startedAt: new Date(ms).toISOString() } }
    const containerStatuses = [{ ...containers[0], ready: true, restartCount: 0, imageID: '', state }]
    const status = { phase: 'Running', containerStatuses }
    await client.patch(resourceRefs.pods, pod, { status }, { type: 'merge', subresource: 'status' })
  }
  await setStarted(Date.now() - 60_000)
  const flags = ['--roll-hours=0.0001', '--check-seconds=0.2', '--scheduler-pods=app=kube-scheduler']
  const address = await start(...flags)
  const read = async (one: string, path: string): Promise<string> => (await fetch(`http://${one}${path}`)).text()
  const first = await waitFor(async () => {
    const [server, caller] = [await data('berth-authority-server'), await data('berth-authority-client')]
    expect(await handshake(tlsSide(server), tlsSide(caller))).toBe('welcome')
    return server
  })
  await waitFor(async () => expect(await read(address, '/readyz')).toContain('ok'))
  const standby = await start(...flags)
  expect(await read(standby, '/metrics')).toContain('berth_authority_last_success_timestamp_seconds 0')

  const [leader] = started
  // It keeps its Lease, so that the standby has not read the authority when it is deleted: a process restores one that it has read.
  leader?.child.kill('SIGKILL')
  await leader?.ended
  await client.delete(secrets, { namespace, name: 'berth-authority-ca' })
  await waitFor(async () => expect(await read(standby, '/metrics')).toContain('berth_authority_outdated_schedulers 1'))
  expect(await read(standby, '/metrics')).toMatch(
    /berth_authority_certificate_expiry_timestamp_seconds{certificate="next-authority"} \d/,
  )
  expect((await data('berth-authority-server'))['tls.crt']).toBe(first['tls.crt'])
  await setStarted(Date.now() + 180_000)
  await waitFor(async () => expect(await data('berth-authority-ca')).toHaveProperty(['current.promoted']))
  await waitFor(async () => {
    const [server, caller] = [await data('berth-authority-server'), await data('berth-authority-client')]
    expect(server['tls.crt']).not.toBe(first['tls.crt'])
    expect(await handshake(tlsSide(server), tlsSide(caller))).toBe('welcome')
  })
}, 180_000)

test.for([
  { flag: '--roll-hours=2000', says: 'rollHours (2000) is more than a sixth of authorityLifetimeHours' },
  { flag: '--server-lifetime-hours=5000', says: 'a certificate lives 5000 hours, more than half of' },
])('refuses $flag, which leaves no time for a roll', async ({ flag, says }) => {
  const { code, stderr } = await startProgram(main, [flag]).ended
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})

test('adopt copies the certificates of another source and ends', async () => {
  const encoded = Object.fromEntries(
    ['ca.crt', 'tls.crt', 'tls.key'].map((key) => [key, Buffer.from(key).toString('base64')]),
  )
  for (const name of ['former-server', 'former-client'])
    await client.create(secrets, { metadata: { namespace, name }, data: encoded } as KubernetesObject)
  const from = ['--from-server-secret=former-server', '--from-client-secret=former-client']
  const to = ['--server-secret=adopted-server', '--client-secret=adopted-client']
  const flags = ['--kubeconfig', join(dir, 'kubeconfig'), '--namespace', namespace, ...from, ...to]
  const { code, stderr } = await startProgram(main, ['adopt', ...flags]).ended
  expect([code, stderr]).toEqual([0, ''])
  expect(await data('adopted-client')).toEqual({ 'ca.crt': 'ca.crt', 'tls.crt': 'tls.crt', 'tls.key': 'tls.key' })
})
