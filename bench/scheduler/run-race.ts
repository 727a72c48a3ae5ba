import { setTimeout as pause } from 'node:timers/promises'
import { type RealApiServer, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'
import type { Contender } from './contender.ts'
import { idleCheck } from './idle-check.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { assertCorrect } from '../measurement.ts'
import { type RaceTimes, observeRace } from './observe-race.ts'
import { cpuMsOf, pidOf } from './process-cpu.ts'
import { NAMESPACE, type StoredEntry } from './race-cluster.ts'
import { type RaceEncoding, type Runner, startRunner } from './start-runner.ts'
import { watchPods, type PodWatcher } from './watch-pods.ts'
import { checkPlacement } from './workloads/check-placement.ts'
import type { Workload } from './workloads/workload.ts'

/** The work of a race. */
export interface RaceSetting {
  readonly workload: Workload
  /** Default: the scheduler's own default. */
  readonly encoding?: RaceEncoding
  /** The measured time starts when this many pods are bound. Default: 1. */
  readonly untimedPods?: number
}

/** The result of one race. The measured time starts at the last untimed bind, or at the release if the workload says so. */
export interface RaceResult {
  /** Wall time per timed pod, until the last bind. */
  readonly usPerPod: number
  /** Wall time per timed pod, until the last Scheduled event. */
  readonly eventUsPerPod: number
  /** CPU time of the scheduler per timed pod, until the last bind. */
  readonly cpuUsPerPod: number
  /** CPU time of kube-apiserver per timed pod, until the last bind. */
  readonly serverCpuUsPerPod: number
  /** CPU time of this process, which observes the race, per timed pod, until the last bind. */
  readonly observerCpuUsPerPod: number
  /** Time from the last bind to the last Scheduled event. Negative if the watch showed the event first. */
  readonly eventLagMs: number
  /** Time from the start of the scheduler to the first bind. */
  readonly firstBindMs: number
  /** `performance.now()` when the measured time started. */
  readonly startMs: number
  readonly times: RaceTimes
}

/** A later last event would show that the scheduler defers events beyond the measured time. */
const EVENT_LIMIT_MS = 1_500
/** How long missing events are awaited, to tell late events from lost ones. */
const LOST_EVENT_MS = 10_000
const LIMIT_MS = 1_200_000

/**
 * Runs one scheduler until it has placed all pods of a new cluster.
 *
 * @param start - Starts the scheduler. Default: with its usual configuration.
 * @throws WrongResultError when the placement is wrong, or a Scheduled event is missing or late.
 * @throws Error when the scheduler exits, or does not finish within twenty minutes.
 */
export async function runRace(
  runner: Runner,
  { workload, encoding, untimedPods = 1 }: RaceSetting,
  start: (server: RealApiServer) => Contender | Promise<Contender> = (server) =>
    startRunner(runner, server, { encoding }),
): Promise<RaceResult> {
  const { pods } = workload
  await using server = await startRealApiServer({ isDurable: true })
  let seeded = 0
  await server.seed(
    Iterator.from(workload.objects()).map((entry) => {
      if (isPod(entry)) seeded += 1
      return entry
    }),
  )
  await using watcher = await watchPods(server)
  const { cluster, mirror } = watcher
  if (mirror.store.size !== seeded) throw new Error(`start race: the mirror has ${mirror.store.size} of ${seeded} pods`)
  const serverPid = pidOf('kube-apiserver', server.dir)
  const readTimes = (): readonly number[] => [
    performance.now(),
    contender.cpuMs(),
    cpuMsOf(serverPid),
    cpuMsOf(process.pid),
  ]
  let started: readonly number[] | undefined
  let ended: readonly number[] = []
  const begin = (): void => void (started ??= readTimes())
  const observer = await observeRace(cluster, mirror, (bound) => {
    if (workload.isTimedFromRelease !== true && bound >= untimedPods) begin()
    if (bound === pods) ended = readTimes()
  })
  const { times } = observer
  // The garbage of the first reads is collected now: during the race, that pause would count as one of the scheduler.
  collectGarbage()
  const launchedMs = performance.now()
  await using contender = await start(server)
  const deadlineMs = performance.now() + LIMIT_MS
  const until = async (what: string, isDone: () => boolean, everyMs = 20): Promise<void> => {
    while (!isDone()) {
      const end = contender.exit()
      if (end !== undefined) throw new Error(`${runner} exited: ${end}: ${contender.lastLogLines()}`)
      if (performance.now() > deadlineMs) {
        const progress = await progressOf(watcher, times)
        throw new Error(`${runner}: timed out waiting for ${what}: ${progress}: ${contender.lastLogLines()}`)
      }
      await pause(everyMs)
    }
  }
  await workload.release?.({
    client: cluster.client,
    pods: mirror.store,
    seed: (entries) => server.seed(entries),
    until,
    untilIdle: () => until('the scheduler to be idle', idleCheck(contender), 1_000),
    start: begin,
    setCreated: (name, atMs) => observer.setCreated(name, atMs),
  })
  await until(`${pods} pods to be bound`, () => times.bound.size >= pods)
  const [startMs = Number.NaN, cpuMs = Number.NaN, serverCpuMs = Number.NaN, observerCpuMs = Number.NaN] = started ?? []
  const [lastMs = Number.NaN, lastCpuMs = Number.NaN, lastServerCpuMs = Number.NaN, lastObserverCpuMs = Number.NaN] =
    ended
  const lastEventMs = await waitForEvents(times, pods, lastMs)
  await check(cluster.client, workload)
  // The bind that starts the time is not in it.
  const timed = workload.isTimedFromRelease === true ? pods : pods - untimedPods
  return {
    usPerPod: ((lastMs - startMs) * 1000) / timed,
    eventUsPerPod: ((Math.max(lastMs, lastEventMs) - startMs) * 1000) / timed,
    cpuUsPerPod: ((lastCpuMs - cpuMs) * 1000) / timed,
    serverCpuUsPerPod: ((lastServerCpuMs - serverCpuMs) * 1000) / timed,
    observerCpuUsPerPod: ((lastObserverCpuMs - observerCpuMs) * 1000) / timed,
    eventLagMs: lastEventMs - lastMs,
    firstBindMs: Math.min(...times.bound.values()) - launchedMs,
    startMs,
    times,
  }
}

function isPod([key]: StoredEntry): boolean {
  return key.startsWith('pods/')
}

/** Describes the state of a race that does not end. A LIST does not depend on the watch, so it shows which one is behind. */
async function progressOf({ cluster, mirror }: PodWatcher, { bound }: RaceTimes): Promise<string> {
  const { items } = await cluster.client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  const placed = items.filter(({ spec }) => spec.nodeName !== undefined).length
  const { watches, events, relists } = mirror.stats()
  const seen = `the watch showed ${bound.size} binds (${watches} watches, ${events} events, relists ${[...relists].join(' ')})`
  return `${placed} of ${items.length} pods have a node; ${seen}`
}

/** Waits until every pod has a Scheduled event, and returns the time of the last one. */
async function waitForEvents({ event }: RaceTimes, pods: number, lastBindMs: number): Promise<number> {
  while (event.size < pods) {
    const isOver = performance.now() - lastBindMs > LOST_EVENT_MS
    assertCorrect(!isOver, `${event.size} of ${pods} pods have a Scheduled event`)
    await pause(20)
  }
  const lastMs = latest(event.values())
  const lagMs = Math.round(lastMs - lastBindMs)
  assertCorrect(
    lagMs <= EVENT_LIMIT_MS,
    `the last Scheduled event came ${lagMs} ms after the last bind; the limit is ${EVENT_LIMIT_MS} ms`,
  )
  return lastMs
}

function latest(times: Iterable<number>): number {
  return Iterator.from(times).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
}

/** Checks the final state, which it reads by LISTs. */
async function check(client: ApiClient, workload: Workload): Promise<void> {
  const nodes = await client.list<Node>(resourceRefs.nodes)
  const pods = await client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  checkPlacement(nodes.items, pods.items, workload.pods)
  workload.check?.(pods.items)
}
