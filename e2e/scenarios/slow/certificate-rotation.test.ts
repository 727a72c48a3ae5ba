import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { eventually } from '@berth/testing'
import type { Pod } from '@berth/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installChartObjects, type InstalledChart } from '../../real-api-server/install-chart-objects.ts'
import { bundle, issueAsCertManager } from '../../real-scheduler/cert-manager.ts'
import {
  type CertificatePair,
  type SchedulerCluster,
  startCertificatePair,
  startSchedulerCluster,
} from '../../real-scheduler/certificate-pair.ts'
import { createAuthority, type TestAuthority } from '../../real-scheduler/certificates.ts'
import {
  createFormerCertificates,
  formerSecrets,
  kubeSchedulerElsewhere,
  upgradeFlags,
} from '../../real-scheduler/former-certificates.ts'
import { type PodLoad, startPodLoad } from '../../real-scheduler/pod-load.ts'
import { mountSecret, secretData, secretRef } from '../../real-scheduler/secret-mount.ts'

const NAMESPACE = 'berth-system'
const SCHEDULER = 'berth-kube-scheduler'
const AUTHORITY = { server: 'berth-authority-server', client: 'berth-authority-client' } as const
/** Connections end soon after a rotation, so that the new certificates are used at once. */
const extender = { config: { bind: true, maxConnectionAgeSeconds: 2 } }
const apps = join(import.meta.dirname, '../../../apps')
const inNamespace = (name: string) => ({ namespace: NAMESPACE, name })
const signal = new AbortController().signal

let parts: AsyncDisposableStack
let cluster: SchedulerCluster
let client: ApiClient
let dir = ''

beforeEach(async () => {
  parts = new AsyncDisposableStack()
  cluster = parts.use(await startSchedulerCluster())
  ;({ client } = cluster.admin)
  dir = parts.adopt(mkdtempSync(join(tmpdir(), 'berth-rotation-')), (path) => rmSync(path, { recursive: true }))
})
afterEach(() => parts.disposeAsync())

const install = (values: object, flags: readonly string[] = []): Promise<InstalledChart> =>
  installChartObjects(cluster.server, client, { profile: 'extender-only', values, flags })
const serverDir = (): string => join(dir, 'server')
const clientDir = (): string => join(dir, 'client')

/** Starts kube-scheduler, the extender and the load. */
async function startPair(
  installed: InstalledChart,
): Promise<{ readonly pair: CertificatePair; readonly load: PodLoad }> {
  const pair = parts.use(
    await startCertificatePair({ cluster, installed, serverDir: serverDir(), clientDir: clientDir() }),
  )
  const load = parts.use(startPodLoad(client, SCHEDULER))
  await untilBoundMore(load)
  return { pair, load }
}

/** Waits until the load goes on. */
async function untilBoundMore(load: PodLoad): Promise<void> {
  const before = load.bound()
  await eventually(async () => (load.bound() >= before + 20 ? true : undefined), {
    what: '20 more bound pods',
    timeoutMs: 120_000,
    signal,
  })
}

/** Checks that every call was answered: for each pod one of each verb, apart from those that a restart of kube-scheduler cut off. */
async function expectNoFailedCall(pair: CertificatePair, load: PodLoad, restarts: number): Promise<void> {
  expect(await load.failures()).toEqual([])
  expect(pair.failedCalls()).toEqual([])
  const { 'filter ok': filters = 0, 'prioritize ok': scores = 0, 'bind ok': binds = 0, ...others } = await pair.calls()
  expect(Object.entries(others).filter(([, count]) => count > 0)).toEqual([])
  console.log(`${load.bound()} pods bound; calls: ${filters} filter, ${scores} prioritize, ${binds} bind`)
  expect(load.bound()).toBeGreaterThan(60)
  // One pod may be between two calls now, and one at each restart.
  expect(filters - scores).toBeLessThanOrEqual(1 + restarts)
  expect(binds).toBeGreaterThanOrEqual(load.bound() - restarts)
}

/** Starts the authority with the configuration of the chart. */
async function startAuthority(installed: InstalledChart, words: readonly string[] = []): Promise<RunningProgram> {
  const account = words.includes('adopt') ? 'berth-authority-adopt' : 'berth-authority'
  const kubeconfig = join(dir, `${account}.kubeconfig`)
  writeFileSync(kubeconfig, cluster.server.kubeconfig(await installed.identityOf(account)), { mode: 0o600 })
  const config = join(dir, 'authority.yaml')
  writeFileSync(config, installed.data('berth-authority')['config.yaml'] ?? '')
  const flags = [
    '--kubeconfig',
    kubeconfig,
    ...(words.length > 0 ? [] : ['--config', config, '--health-address=127.0.0.1:0']),
  ]
  const program = startProgram(join(apps, 'authority/src/main.ts'), [...words, ...flags])
  parts.defer(async () => {
    program.child.kill('SIGTERM')
    await program.ended
  })
  return program
}

const dataOf = async (name: string): Promise<Readonly<Record<string, string>>> =>
  eventually(() => secretData(client, inNamespace(name)), { what: name, timeoutMs: 60_000, signal })
const certificatesOf = async ({ server, client: caller }: typeof AUTHORITY | typeof formerSecrets = AUTHORITY) => ({
  server: (await dataOf(server))['tls.crt'] ?? '',
  client: (await dataOf(caller))['tls.crt'] ?? '',
})

/** Issues the certificates that the chart asks cert-manager for. */
async function renewAsCertManager(installed: InstalledChart, issuer: TestAuthority, ca: string): Promise<void> {
  const certificates = installed.left.filter(({ kind }) => kind === 'Certificate')
  await issueAsCertManager(client, NAMESPACE, certificates, { issuer, ca })
}

test('cert-manager: renewed certificates are used without a failed call, and so is a new authority after both are trusted and a restart', async () => {
  const values = { extender: { ...extender, tls: { mode: 'cert-manager' } } }
  const installed = await install(values, ['--api-versions', 'cert-manager.io/v1'])
  const [first, second] = [await createAuthority('first'), await createAuthority('second')]
  await renewAsCertManager(installed, first, first.ca)
  parts.use(await mountSecret(client, inNamespace(formerSecrets.server), serverDir()))
  parts.use(await mountSecret(client, inNamespace(formerSecrets.client), clientDir()))
  const { pair, load } = await startPair(installed)
  const renew = async (issuer: TestAuthority, ca: string): Promise<void> => {
    await renewAsCertManager(installed, issuer, ca)
    await pair.untilUsed(() => certificatesOf(formerSecrets))
    await untilBoundMore(load)
  }
  await renew(first, first.ca)
  const both = bundle(first, second)
  await renew(first, both)
  await pair.restartKubeScheduler()
  await renew(second, both)
  await renew(second, second.ca)
  await expectNoFailedCall(pair, load, 1)

  // Without the restart, kube-scheduler refuses the next authority: the checks above can fail.
  const third = await createAuthority('third')
  await renewAsCertManager(installed, third, bundle(second, third))
  await eventually(async () => (/x509/.test((await load.failures()).join()) ? true : undefined), {
    what: 'a call that fails without a restart',
    timeoutMs: 120_000,
    signal,
  })
  expect(pair.failedCalls()).not.toEqual([])
  await pair.restartKubeScheduler()
})

/** Records in a pod when kube-scheduler started, as its kubelet does. */
async function reportStart(installed: InstalledChart): Promise<void> {
  const deployment = installed.left.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'berth-extender',
  )
  const spec = deployment?.spec as { readonly template?: { readonly metadata: Pod['metadata'] } } | undefined
  const target = inNamespace('berth-extender-0')
  const containers = [{ name: 'kube-scheduler', image: 'none' }]
  if ((await client.find(resourceRefs.pods, target)) === undefined)
    await client.create<Pod>(resourceRefs.pods, {
      metadata: { ...target, labels: spec?.template?.metadata.labels ?? {} },
      spec: { containers },
    })
  const state = { running: { startedAt: new Date().toISOString() } }
  const running = { ...containers[0], ready: true, restartCount: 0, imageID: '', state }
  const status = { phase: 'Running', containerStatuses: [running] }
  await client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
}

test('authority: certificates are renewed under an authority that stays, and the next authority is used after the restart of kube-scheduler, without a failed call', async () => {
  // An authority of 8 min is replaced after 5 min 20 s, and at the latest after 6 min 40 s.
  const lifetimes = { authorityLifetimeHours: 8 / 60, serverLifetimeHours: 4 / 60, clientLifetimeHours: 4 / 60 }
  const config = { ...lifetimes, rollHours: 1 / 60, mountSeconds: 0.1, checkSeconds: 1 }
  const installed = await install({ extender, authority: { config } })
  await startAuthority(installed)
  parts.use(await mountSecret(client, inNamespace(AUTHORITY.server), serverDir()))
  parts.use(await mountSecret(client, inNamespace(AUTHORITY.client), clientDir()))
  const { pair, load } = await startPair(installed)
  await reportStart(installed)
  const until = (what: string, look: () => Promise<true | undefined>): Promise<true> =>
    eventually(look, { what, timeoutMs: 400_000, intervalMs: 500, signal })
  const ca = await dataOf('berth-authority-ca')
  const first = await certificatesOf()

  await until('the certificates to be renewed', async () => {
    const { server, client: caller } = await certificatesOf()
    return server !== first.server && caller !== first.client ? true : undefined
  })
  expect(await dataOf('berth-authority-ca')).toEqual(ca)
  await pair.untilUsed(() => certificatesOf())
  await untilBoundMore(load)

  await until('the next authority to be published', async () =>
    'next.published' in (await dataOf('berth-authority-ca')) ? true : undefined,
  )
  const trusted = async () => (await dataOf(AUTHORITY.client))['ca.crt']?.match(/BEGIN/g)
  expect(await trusted()).toHaveLength(2)
  // The files of kube-scheduler contain it, too.
  await until('kube-scheduler to be able to read it', async () =>
    readFileSync(join(clientDir(), 'ca.crt'), 'utf8').match(/BEGIN/g)?.length === 2 ? true : undefined,
  )
  await pair.restartKubeScheduler()
  await reportStart(installed)
  await until('the next authority to issue both certificates', async () => {
    const authority = await dataOf('berth-authority-ca')
    if (!('current.promoted' in authority)) return undefined
    const { publicKey } = new X509Certificate(authority['current.crt'] ?? '')
    const issued = Object.values(await certificatesOf())
    return issued.every((pem) => new X509Certificate(pem).verify(publicKey)) ? true : undefined
  })
  await pair.untilUsed(() => certificatesOf())
  await untilBoundMore(load)
  await expectNoFailedCall(pair, load, 1)
})

test('an upgrade from certificates of another source, which a kube-scheduler has in files of its host, drops no call', async () => {
  await client.create({ ...resourceRefs.namespaces }, { metadata: { name: NAMESPACE } })
  await createFormerCertificates(client, NAMESPACE)
  const kubeconfig = join(dir, 'admin.kubeconfig')
  writeFileSync(kubeconfig, cluster.server.kubeconfig(), { mode: 0o600 })
  // Two minutes, in which the files of the host are renewed and kube-scheduler is restarted.
  const authority = { config: { rollHours: 2 / 60, checkSeconds: 1 } }
  const values = { extender: { ...extender, ...kubeSchedulerElsewhere }, authority }
  const installed = await install(values, upgradeFlags(kubeconfig))
  const former = await mountSecret(client, inNamespace(formerSecrets.server), serverDir())
  const renew = async (secret: string): Promise<string> => {
    const words = ['wire', '--renew', `${NAMESPACE}/${secret}`, '--tls-dir', clientDir(), '--kubeconfig', kubeconfig]
    const { code, stdout, stderr } = await startProgram(join(apps, 'kubectl-berth/src/main.ts'), words).ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('Wrote')])
    return stderr
  }
  mkdirSync(clientDir())
  await renew(formerSecrets.client)
  const { pair, load } = await startPair(installed)

  const adopted = await (await startAuthority(installed, ['adopt'])).ended
  expect([adopted.code, adopted.stderr]).toEqual([0, ''])
  expect(await certificatesOf()).toEqual(await certificatesOf(formerSecrets))
  await former[Symbol.asyncDispose]()
  for (const name of Object.values(formerSecrets)) await client.delete(secretRef, inNamespace(name))
  await startAuthority(installed)
  await eventually(
    async () =>
      'next.published' in ((await secretData(client, inNamespace('berth-authority-ca'))) ?? {}) ? true : undefined,
    {
      what: 'the authority to be published',
      timeoutMs: 60_000,
      signal,
    },
  )
  parts.use(await mountSecret(client, inNamespace(AUTHORITY.server), serverDir()))
  await untilBoundMore(load)
  expect(await renew(AUTHORITY.client)).toContain('Restart kube-scheduler')
  await pair.restartKubeScheduler()
  await untilBoundMore(load)

  const before = await certificatesOf()
  await eventually(async () => ((await certificatesOf()).client === before.client ? undefined : true), {
    what: 'the authority to issue certificates',
    timeoutMs: 240_000,
    signal,
  })
  await untilBoundMore(load)
  await renew(AUTHORITY.client)
  await pair.untilUsed(() => certificatesOf())
  await untilBoundMore(load)
  await expectNoFailedCall(pair, load, 1)
})
