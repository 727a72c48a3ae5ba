import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Cluster } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { Node } from '@berth/types'
import { parse } from 'yaml'
import { connectQuietly } from '../cluster/connect-with-kubeconfig.ts'
import type { InstalledChart } from '../real-api-server/install-chart-objects.ts'
import { toStoredObject } from '../real-api-server/large-cluster.ts'
import { startRealApiServer, type RealApiServer } from '../real-api-server/real-api-server.ts'
import type { ServerProcess } from '../real-api-server/server-process.ts'
import { startExtender } from './extender-process.ts'
import { startKubeScheduler } from './kube-scheduler.ts'

/** A real API server with two nodes. */
export interface SchedulerCluster extends AsyncDisposable {
  readonly server: RealApiServer
  readonly admin: Cluster
}

/** Starts an API server and creates two nodes that have room for every pod. */
export async function startSchedulerCluster(): Promise<SchedulerCluster> {
  await using parts = new AsyncDisposableStack()
  const server = parts.use(await startRealApiServer())
  const amounts = { cpu: '64', memory: '256Gi', pods: '10000' }
  const nodes = [1, 2].map((i) => {
    const stored: Node = { metadata: { name: `node-${i}` }, status: { capacity: amounts, allocatable: amounts } }
    return [`minions/node-${i}`, toStoredObject('Node', stored)] as const
  })
  await server.seed(nodes)
  const admin = parts.use(connectQuietly({ access: server.access() }))
  const owned = parts.move()
  return { server, admin, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** An extender and a real kube-scheduler that authenticate each other with certificates in files. Disposing ends both. */
export interface CertificatePair extends AsyncDisposable {
  /** Ends kube-scheduler and starts it again. */
  restartKubeScheduler(): Promise<void>
  /**
   * Waits until the extender serves a certificate and kube-scheduler has called it with another.
   *
   * @param read - Reads both, PEM. It is called again each time, because either may be renewed in the meantime.
   */
  untilUsed(read: () => Promise<{ readonly server: string; readonly client: string }>): Promise<void>
  /** Returns the lines in the log of kube-scheduler about calls that failed. */
  failedCalls(): readonly string[]
  /** Returns the number of calls by `VERB RESULT` since the first start of kube-scheduler. */
  calls(): Promise<Readonly<Record<string, number>>>
}

/** The extender reads its files every 30 s, and then connections end within 7 s. */
const USE_TIMEOUT_MS = 90_000
/** A call that a rotation drops is never answered, so it is found with long times as well. With those of the chart, a slow machine fails calls, too. */
const TIMES = { httpTimeout: '30s', bindTimeoutMs: 25_000 } as const
const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const

/** Starts an extender and a kube-scheduler with the configurations of the chart and files in two folders. */
export async function startCertificatePair(options: {
  readonly cluster: SchedulerCluster
  readonly installed: InstalledChart
  readonly serverDir: string
  readonly clientDir: string
}): Promise<CertificatePair> {
  const { cluster, installed, serverDir, clientDir } = options
  const { dir } = cluster.server
  await using parts = new AsyncDisposableStack()
  const kubeconfig = cluster.server.kubeconfig(await installed.identityOf('berth-extender'))
  const inServer = pathsIn(serverDir)
  const inClient = pathsIn(clientDir)
  const configOf = (name: string, file: string): Readonly<Record<string, unknown>> =>
    parse(installed.data(name)[file] ?? '') as Record<string, unknown>
  const extender = parts.use(
    await startExtender({
      dir,
      name: 'rotated',
      kubeconfig,
      server: { cert: textOf(inServer.cert), key: textOf(inServer.key) },
      ca: textOf(inServer.ca),
      config: {
        ...configOf('berth-extender', 'config.yaml'),
        bindTimeoutMs: TIMES.bindTimeoutMs,
        tlsCertFile: inServer.cert,
        tlsPrivateKeyFile: inServer.key,
        clientCaFile: inServer.ca,
      },
    }),
  )
  const startScheduler = (): ServerProcess =>
    startKubeScheduler({
      dir,
      // One with a kubeconfig of its own has the name of the user that the roles of Kubernetes name.
      kubeconfig: cluster.server.kubeconfig('scheduler'),
      extender: {
        port: extender.port,
        ca: textOf(inClient.ca),
        caller: { cert: textOf(inClient.cert), key: textOf(inClient.key) },
        entry: {
          httpTimeout: TIMES.httpTimeout,
          tlsConfig: { caFile: inClient.ca, certFile: inClient.cert, keyFile: inClient.key },
        },
      },
      config: { profiles: [{ schedulerName: 'berth-kube-scheduler' }] },
    })
  const metrics = async (): Promise<string> => (await fetch(`http://${extender.health}/metrics`)).text()
  const countCalls = async (): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries(
      [...(await metrics()).matchAll(/^berth_extender_calls_total{verb="(\w+)",result="(\w+)"} (\d+)$/gm)].map(
        ([, verb, result, count]) => [`${verb} ${result}`, Number(count)],
      ),
    )
  await untilBinding(extender.port, { ca: textOf(inClient.ca), cert: textOf(inClient.cert), key: textOf(inClient.key) })
  const before = await countCalls()
  let scheduler = startScheduler()
  parts.defer(() => scheduler.stop())
  const served = (): Promise<X509Certificate | undefined> => servedCertificate(extender.port)
  const owned = parts.move()
  return {
    async restartKubeScheduler() {
      await scheduler.stop()
      scheduler = startScheduler()
    },
    async untilUsed(read) {
      await eventually(
        async () => {
          if (scheduler.exit() !== undefined) throw new Error(`kube-scheduler ended: ${scheduler.lastLogLines()}`)
          const { server, client } = await read()
          const expiresS = Math.floor(certificateIn(client).validToDate.getTime() / 1_000)
          const [, seconds] = /^berth_extender_certificate_expiry\w*{certificate="client"} (\S+)$/m.exec(
            await metrics(),
          ) ?? [undefined, 'none']
          const serial = (await served())?.serialNumber
          const wanted = certificateIn(server).serialNumber
          if (serial === wanted && Number(seconds) === expiresS) return true
          throw new Error(`served ${serial} of ${wanted}, called until ${seconds} of ${expiresS}`)
        },
        {
          what: 'both to use their new certificates',
          timeoutMs: USE_TIMEOUT_MS,
          intervalMs: 500,
          signal: new AbortController().signal,
        },
      )
    },
    failedCalls: () =>
      readFileSync(join(dir, 'kube-scheduler.log'), 'utf8')
        .split('\n')
        .filter((line) => /^[EW]\d{4} .*(?:x509|tls:|extender|\/filter|\/prioritize|\/bind)/.test(line)),
    async calls() {
      const counts = Object.entries(await countCalls())
      return Object.fromEntries(counts.map(([name, count]) => [name, count - (before[name] ?? 0)]))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

type Paths = Readonly<Record<keyof typeof FILES, string>>

function pathsIn(dir: string): Paths {
  return { ca: join(dir, FILES.ca), cert: join(dir, FILES.cert), key: join(dir, FILES.key) }
}

const textOf = (path: string): string => readFileSync(path, 'utf8')
const certificateIn = (pem: string): X509Certificate => new X509Certificate(pem)

/** Returns the certificate that a server presents, to a caller without one: a server never counts it as a caller. */
async function servedCertificate(port: number): Promise<X509Certificate | undefined> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.on('error', () => undefined)
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerX509Certificate()
  } finally {
    socket.destroy()
  }
}

/**
 * Waits until the extender holds its Lease with a complete view: before that it refuses every bind.
 *
 * @param tls - What the caller uses, PEM.
 */
export async function untilBinding(port: number, tls: Readonly<Record<keyof typeof FILES, string>>): Promise<void> {
  const body = JSON.stringify({ PodName: 'none', PodNamespace: 'default', PodUID: 'none', Node: 'node-1' })
  await eventually(
    async () => {
      const call = request({ host: '127.0.0.1', port, path: '/bind', method: 'POST', agent: false, ...tls })
      call.setHeader('content-type', 'application/json').end(body)
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      const answer = await text(response)
      if (!answer.includes('the cluster view does not contain the pod')) throw new Error(answer)
      return true
    },
    { what: 'the extender to bind', timeoutMs: 60_000, intervalMs: 200, signal: new AbortController().signal },
  )
}
