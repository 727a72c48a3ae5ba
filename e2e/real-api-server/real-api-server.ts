import { systemClock } from '@berth/clock'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connectTransport, type ClusterAccess } from '@berth/k8s-client'
import { silentLogger } from '@berth/types'
import { stringify } from 'yaml'
import { kubernetesVersion } from '../cluster/kubernetes-version.ts'
import { freePorts } from './free-ports.ts'
import { startServerProcess, type ServerProcess } from './server-process.ts'

/**
 * Tokens of test users: `admin` and two replicas may do everything, `nobody` nothing, and `scheduler` is kube-scheduler's user with its bootstrap
 * roles. The server refuses the token of `stranger` with 401.
 */
const tokens = {
  admin: 'admin-token',
  'replica-a': 'replica-a-token',
  'replica-b': 'replica-b-token',
  nobody: 'nobody-token',
  scheduler: 'scheduler-token',
  stranger: 'unknown-token',
} as const
/** A test user of the server. */
export type TestUser = keyof typeof tokens
/** A user of the server: a test user, or the bearer of a token that the server issued. */
export type Identity = TestUser | { readonly token: string }

const SEEDS_IN_FLIGHT = 32

/** Options of a real API server. */
export interface RealApiServerOptions {
  /** Additional flags of kube-apiserver. */
  readonly flags?: readonly string[]
  /** Whether etcd waits for the disk. Set it for measurements. Default: false. */
  readonly isDurable?: boolean
  /** Whether to run kube-controller-manager, for service accounts, namespace deletion, garbage collection and quotas. Default: false. */
  readonly hasControllers?: boolean
}

/** A kube-apiserver with its own etcd, on loopback, without a scheduler and kubelets. */
export interface RealApiServer extends AsyncDisposable {
  readonly port: number
  readonly etcdPort: number
  /** Returns the address and credentials for a client. `port` replaces the port of the server, for example with that of a gate. */
  access(identity?: Identity, port?: number): ClusterAccess
  /** Returns the same as the text of a kubeconfig. */
  kubeconfig(identity?: Identity, port?: number): string
  /** Stops kube-apiserver and waits until it has exited. etcd keeps running. */
  stop(): Promise<void>
  /** Starts kube-apiserver and waits until it is ready. */
  start(): Promise<void>
  /**
   * Starts another kube-apiserver on the same etcd and waits until it is ready. It ends with this server.
   *
   * @param etcdPort - Port of etcd, or of a proxy before it.
   * @param flags - Additional flags of kube-apiserver.
   * @returns Its port, for `access` and `kubeconfig`.
   */
  startAnother(etcdPort: number, flags: readonly string[]): Promise<number>
  /** Restarts etcd while kube-apiserver runs. */
  restartEtcd(): Promise<void>
  /** Compacts etcd to its newest revision. */
  compact(): Promise<void>
  /**
   * Writes objects into etcd directly, which creates a large cluster in seconds. Each object gets its own revision, as it
   * does from the API server, because the watch cache considers a revision complete after its first object.
   *
   * @param entries - The key below `/registry/` and the whole object, with apiVersion, kind and uid.
   */
  seed(entries: Iterable<readonly [key: string, object: unknown]>): Promise<void>
  /** Folder of this server. It is removed at the end. */
  readonly dir: string
}

/** Returns the folder of the binaries that `node-image/build-node-image` builds, or undefined if one is missing. */
export function realApiServerBinaries(): string | undefined {
  const { binDir } = kubernetesVersion()
  return ['etcd', 'kube-apiserver', 'kube-controller-manager'].every((name) => existsSync(join(binDir, name)))
    ? binDir
    : undefined
}

/**
 * Starts etcd and kube-apiserver.
 *
 * @throws Error if a binary is missing or a program is not ready within three minutes.
 */
export async function startRealApiServer(options: RealApiServerOptions = {}): Promise<RealApiServer> {
  const binaries = realApiServerBinaries()
  if (binaries === undefined)
    throw new Error('etcd and kube-apiserver are missing; run e2e/node-image/build-node-image')
  const dir = mkdtempSync(join(tmpdir(), 'berth-api-server-'))
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3)
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  writeSecrets(dir)

  const startEtcd = async (): Promise<ServerProcess> => {
    const flags = [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--log-level=error',
      ...(options.isDurable === true ? [] : ['--unsafe-no-fsync']),
    ]
    const started = startServerProcess(join(binaries, 'etcd'), flags, join(dir, 'etcd.log'))
    await untilReady('etcd', started, async () => (await fetch(`${etcdUrl}/health`)).ok)
    return started
  }

  const startApiServer = async (
    own: { readonly port: number; readonly etcdPort: number; readonly flags: readonly string[] } = {
      port,
      etcdPort,
      flags: options.flags ?? [],
    },
  ): Promise<ServerProcess> => {
    const flags = [
      `--etcd-servers=http://127.0.0.1:${own.etcdPort}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${own.port}`,
      `--cert-dir=${join(dir, 'certs')}`,
      `--token-auth-file=${join(dir, 'tokens.csv')}`,
      '--service-account-issuer=https://berth.invalid',
      `--service-account-key-file=${join(dir, 'service-account.key')}`,
      `--service-account-signing-key-file=${join(dir, 'service-account.key')}`,
      '--authorization-mode=RBAC',
      // Without controllers, no service account is created, and this plugin would refuse every pod.
      ...(options.hasControllers === true ? [] : ['--disable-admission-plugins=ServiceAccount']),
      // As set by kubeadm, and therefore by kind.
      '--allow-privileged=true',
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.96.0.0/16',
      ...own.flags,
    ]
    const log = join(dir, own.port === port ? 'kube-apiserver.log' : `kube-apiserver-${own.port}.log`)
    const started = startServerProcess(join(binaries, 'kube-apiserver'), flags, log)
    await untilReady('kube-apiserver', started, async () => isReady(access('admin', own.port)))
    return started
  }

  const startControllers = async (): Promise<ServerProcess> => {
    const path = join(dir, 'controllers.kubeconfig')
    writeFileSync(path, kubeconfig(), { mode: 0o600 })
    return startServerProcess(
      join(binaries, 'kube-controller-manager'),
      [
        `--kubeconfig=${path}`,
        `--service-account-private-key-file=${join(dir, 'service-account.key')}`,
        `--root-ca-file=${join(dir, 'certs', 'apiserver.crt')}`,
        '--leader-elect=false',
        '--secure-port=0',
      ],
      join(dir, 'kube-controller-manager.log'),
    )
  }

  const ca = (): string => readFileSync(join(dir, 'certs', 'apiserver.crt'), 'utf8')
  const access = (identity: Identity = 'admin', through: number = port): ClusterAccess => ({
    source: dir,
    context: 'real',
    server: `https://127.0.0.1:${through}`,
    namespace: undefined,
    ca: ca(),
    tlsServerName: undefined,
    skipTlsVerify: false,
    credentials: () => Promise.resolve({ headers: { authorization: `Bearer ${tokenOf(identity)}` } }),
  })
  const kubeconfig = (identity: Identity = 'admin', through: number = port): string =>
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'real',
      contexts: [{ name: 'real', context: { cluster: 'real', user: 'user' } }],
      clusters: [
        {
          name: 'real',
          cluster: {
            server: `https://127.0.0.1:${through}`,
            'certificate-authority-data': Buffer.from(ca()).toString('base64'),
          },
        },
      ],
      users: [{ name: 'user', user: { token: tokenOf(identity) } }],
    })
  const etcdCall = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${etcdUrl}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`etcd ${path}: ${await response.text()}`)
    return response.json()
  }

  let etcd: ServerProcess | undefined
  let apiServer: ServerProcess | undefined
  let controllers: ServerProcess | undefined
  const others: ServerProcess[] = []
  const dispose = async (): Promise<void> => {
    await controllers?.stop()
    for (const other of others) await other.kill()
    await apiServer?.stop()
    await etcd?.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    etcd = await startEtcd()
    apiServer = await startApiServer()
    if (options.hasControllers === true) controllers = await startControllers()
  } catch (error) {
    await dispose()
    throw error
  }

  return {
    port,
    etcdPort,
    dir,
    access,
    kubeconfig,
    async stop() {
      await apiServer?.stop()
    },
    async start() {
      apiServer = await startApiServer()
    },
    async startAnother(otherEtcdPort, flags) {
      const [otherPort = 0] = await freePorts(1)
      others.push(await startApiServer({ port: otherPort, etcdPort: otherEtcdPort, flags }))
      return otherPort
    },
    async restartEtcd() {
      await etcd?.stop()
      etcd = await startEtcd()
    },
    async compact() {
      const { header } = (await etcdCall('range', { key: 'AA==', limit: '1' })) as {
        readonly header: { readonly revision: string }
      }
      await etcdCall('compaction', { revision: header.revision, physical: true })
    },
    async seed(entries) {
      const base64 = (text: string): string => Buffer.from(text).toString('base64')
      const queue = Iterator.from(entries)
      const put = async (): Promise<void> => {
        for (const [key, object] of queue)
          await etcdCall('put', { key: base64(`/registry/${key}`), value: base64(JSON.stringify(object)) })
      }
      await Promise.all(Array.from({ length: SEEDS_IN_FLIGHT }, put))
    },
    [Symbol.asyncDispose]: dispose,
  }
}

function tokenOf(identity: Identity): string {
  return typeof identity === 'string' ? tokens[identity] : identity.token
}

function writeSecrets(dir: string): void {
  const lines = [
    `${tokens.admin},admin,1,"system:masters"`,
    `${tokens.nobody},nobody,2`,
    `${tokens.scheduler},system:kube-scheduler,3`,
    `${tokens['replica-a']},replica-a,4,"system:masters"`,
    `${tokens['replica-b']},replica-b,5,"system:masters"`,
  ]
  writeFileSync(join(dir, 'tokens.csv'), `${lines.join('\n')}\n`)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(dir, 'service-account.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 })
}

async function isReady(access: ClusterAccess): Promise<boolean> {
  await using transport = connectTransport(access, { log: silentLogger, clock: systemClock() })
  const { status, body } = await transport.handle({ method: 'GET', path: '/readyz', headers: {} })
  for await (const _ of body) continue
  return status === 200
}

async function untilReady(name: string, started: ServerProcess, isReadyNow: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000
  while (performance.now() < deadline) {
    if (started.exit() !== undefined) break
    if (await isReadyNow().catch(() => false)) return
    await pause(100)
  }
  await started.kill()
  throw new Error(`${name} does not get ready (${started.exit() ?? 'it runs'}): ${started.lastLogLines()}`)
}
