import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type RealApiServer,
  realApiServerBinaries,
  startRealApiServer,
} from '@berth/e2e/real-api-server/real-api-server'
import { type Cluster, resourceRefs } from '@berth/k8s-client'
import type { Event, Pod } from '@berth/types'
import { stringify } from 'yaml'
import { type Contender, type ContenderProcess, startContender } from './contender.ts'
import { cpuMsOf, pidOf } from './process-cpu.ts'
import { assertCorrect } from '../measurement.ts'
import { checkPlacement, raceCluster, SCHEDULER_NAME, type Workload } from './race-cluster.ts'
import { watchPods } from './watch-pods.ts'

/** The scheduler that places the pods. */
export type Runner = 'berth' | 'kube-scheduler'

/** The encoding that the scheduler prefers, as `clientConnection.contentType`. */
export type RaceEncoding = 'application/json' | 'application/vnd.kubernetes.protobuf'

/** The cluster and the work of a race. */
export interface RaceSetting {
  readonly nodes: number
  readonly pods: number
  readonly workload: Workload
  /** Default: the scheduler's own default. */
  readonly encoding?: RaceEncoding
  /** The measurement begins when this many pods are bound. Default: 1. */
  readonly untimedPods?: number
}

/** The result of one race. */
export interface RaceResult {
  /** Wall time per timed pod, from the last untimed binding to the last. */
  readonly usPerPod: number
  /** CPU time of the scheduler per timed pod in that time. */
  readonly cpuUsPerPod: number
  /** CPU time of kube-apiserver per timed pod in that time. */
  readonly serverCpuUsPerPod: number
  /** Time from the last binding until every pod has its Scheduled event, measured with a poll every 100 ms. */
  readonly eventLagMs: number
}

const EVENT_LIMIT_MS = 10_000
const LIMIT_MS = 180_000
const scheduler = join(import.meta.dirname, '..', '..', 'apps', 'scheduler', 'dist', 'main.js')

/**
 * Runs one scheduler until it has placed all pods of a new cluster.
 *
 * @param start - Starts the scheduler. Default: with its usual configuration.
 * @throws WrongResultError when the placement is wrong, or a pod has no Scheduled event ten seconds after the last bind.
 * @throws Error when the scheduler exits, or does not finish within three minutes.
 */
export async function runRace(
  runner: Runner,
  { nodes, pods, workload, encoding, untimedPods = 1 }: RaceSetting,
  start: (server: RealApiServer) => Contender | Promise<Contender> = (server) =>
    startRunner(runner, server, { encoding }),
): Promise<RaceResult> {
  await using server = await startRealApiServer({ isDurable: true })
  await server.seed(raceCluster(nodes, pods, workload))
  await using watcher = await watchPods(server)
  const { cluster, mirror } = watcher
  if (mirror.store.size !== pods) throw new Error(`start race: the mirror has ${mirror.store.size} of ${pods} pods`)
  const bound = new Set<string>()
  let firstMs = 0
  let lastMs = 0
  let cpuMsBefore = 0
  let serverCpuMsBefore = 0
  const serverPid = pidOf('kube-apiserver', server.dir)
  mirror.subscribe({
    onUpdate: (_, { metadata, spec }) => {
      if (spec.nodeName === undefined || bound.has(metadata.name ?? '')) return
      bound.add(metadata.name ?? '')
      lastMs = performance.now()
      if (bound.size !== untimedPods) return
      firstMs = lastMs
      cpuMsBefore = contender.cpuMs()
      serverCpuMsBefore = cpuMsOf(serverPid)
    },
  })
  await using contender = await start(server)
  const deadlineMs = performance.now() + LIMIT_MS
  while (bound.size < pods) {
    const end = contender.exit()
    if (end !== undefined) throw new Error(`${runner} exited: ${end}: ${contender.lastLogLines()}`)
    if (performance.now() > deadlineMs) {
      // A LIST does not depend on the watch, so it shows whether the scheduler or the watch is behind.
      const { items } = await cluster.client.list<Pod>(resourceRefs.pods, { namespace: 'default' })
      const placed = items.filter(({ spec }) => spec.nodeName !== undefined).length
      const { watches, events, relists } = mirror.stats()
      const mirrored = `${bound.size} by the watch (${watches} watches, ${events} events, relists ${[...relists].join(' ')})`
      const result = `${runner} placed ${placed} of ${pods} pods in ${LIMIT_MS} ms; ${mirrored}`
      throw new Error(`${result}; its last log lines: ${contender.lastLogLines()}`)
    }
    await pause(20)
  }
  const cpuMs = contender.cpuMs() - cpuMsBefore
  const serverCpuMs = cpuMsOf(serverPid) - serverCpuMsBefore
  const eventLagMs = await waitForEvents(cluster, pods, lastMs)
  const { items } = await cluster.client.list<Pod>(resourceRefs.pods, { namespace: 'default' })
  checkPlacement(items, pods, workload)
  const timedPods = pods - untimedPods
  return {
    usPerPod: ((lastMs - firstMs) * 1000) / timedPods,
    cpuUsPerPod: (cpuMs * 1000) / timedPods,
    serverCpuUsPerPod: (serverCpuMs * 1000) / timedPods,
    eventLagMs,
  }
}

/** Waits until every pod has a Scheduled event, and returns how long after `lastBindMs` that was. */
async function waitForEvents({ client }: Cluster, pods: number, lastBindMs: number): Promise<number> {
  for (;;) {
    const { items } = await client.list<Event>(resourceRefs.events, { fieldSelector: 'reason=Scheduled' })
    const lagMs = performance.now() - lastBindMs
    const seen = new Set(items.map(({ regarding }) => regarding.name)).size
    if (seen === pods) return lagMs
    assertCorrect(lagMs < EVENT_LIMIT_MS, `${seen} of ${pods} pods have a Scheduled event`)
    await pause(100)
  }
}

/** Options of {@link startRunner}. */
export interface RunnerOptions {
  /** Default: the scheduler's own default. */
  readonly encoding?: RaceEncoding | undefined
  /** Address at which Berth serves health and metrics. Default: any free port. */
  readonly healthAddress?: string
}

/** Starts a scheduler for the pods with the schedulerName {@link SCHEDULER_NAME}. */
export function startRunner(
  runner: Runner,
  server: Pick<RealApiServer, 'dir' | 'kubeconfig'>,
  { encoding, healthAddress = '127.0.0.1:0' }: RunnerOptions,
): ContenderProcess {
  const { dir } = server
  const path = join(dir, 'scheduler.kubeconfig')
  writeFileSync(path, server.kubeconfig(), { mode: 0o600 })
  const config = join(dir, 'scheduler.yaml')
  writeFileSync(
    config,
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      // The API server's limit is to be measured, not the client's rate limit.
      clientConnection: {
        kubeconfig: path,
        qps: 10_000,
        burst: 20_000,
        ...(encoding !== undefined && { contentType: encoding }),
      },
      leaderElection: { leaderElect: false },
      profiles: [{ schedulerName: SCHEDULER_NAME }],
    }),
  )
  const logPath = join(dir, `${runner}.log`)
  if (runner === 'berth') {
    return startContender(process.execPath, [scheduler, '--config', config, '--health-address', healthAddress], logPath)
  }
  const program = join(realApiServerBinaries() ?? '', 'kube-scheduler')
  return startContender(program, ['--config', config, '--secure-port=0'], logPath)
}
