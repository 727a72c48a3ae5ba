import { forEachConcurrently } from '@berth/clock'
import { realApiServerBinaries, startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { resourceRefs } from '@berth/k8s-client'
import { setTimeout as pause } from 'node:timers/promises'
import { assertCorrect, type Bench, type Measurement } from '../measurement.ts'
import { idleCheck } from '../scheduler/idle-check.ts'
import { startRunner } from '../scheduler/start-runner.ts'
import { watchPods } from '../scheduler/watch-pods.ts'
import { p99, rounded, summarize } from '../statistics.ts'
import { type BindCost, bindFitting } from './bind-fitting.ts'
import { freePort } from './free-port.ts'
import { fullCluster, holderNames, waitingNames, waitingPods } from './full-cluster.ts'
import { observationsOf, readMetrics, sumOf, usPerObservation } from './scheduler-metrics.ts'

const ATTEMPTS = 'scheduler_scheduling_attempt_duration_seconds'
const HANDLING = 'scheduler_event_handling_duration_seconds'
const LIMIT_MS = 300_000
/** Longer than the backoff after the first attempt and its window, so that a freed unit does not wait for a backoff. */
const BACKOFF_MS = 3_000
/**
 * Half of the rounds beside waiting pods come before the rounds without them, and half after them, because each round leaves bound pods
 * and events behind, which the API server and the scheduler carry through all later rounds.
 */
const HALF_ROUNDS = 3
/** Deletions of waiting pods in flight. */
const DELETIONS_IN_FLIGHT = 32

function line(name: string, unit: Measurement['unit'], samples: readonly number[]): Measurement {
  return { bench: 'unschedulable', case: name, unit, ...summarize(samples) }
}

/** Sizes of a run. */
interface Size {
  readonly nodes: number
  readonly waiting: number
  /** Pods of one round that fit. */
  readonly fitting: number
}

/** Returns the cost of pods that fit, beside waiting pods and without any. */
function costLines({ waiting, fitting }: Size, alone: readonly BindCost[], beside: readonly BindCost[]): Measurement[] {
  return (['usPerPod', 'cpuUsPerPod'] as const).flatMap((value) => {
    const what = value === 'usPerPod' ? 'wall time a pod' : 'CPU time a pod'
    const against = `${fitting} pods that fit, alone: ${what}`
    const baseline = line(
      against,
      'us',
      alone.map((cost) => cost[value]),
    )
    const measured = line(
      `${fitting} pods that fit, beside ${waiting} waiting pods: ${what}`,
      'us',
      beside.map((cost) => cost[value]),
    )
    return [baseline, { ...measured, against, ratio: rounded(baseline.median / measured.median) }]
  })
}

async function measure(size: Size, samples: number, progress: (line: string) => void): Promise<Measurement[]> {
  const { nodes, waiting, fitting } = size
  await using server = await startRealApiServer({ isDurable: true })
  await server.seed(fullCluster(nodes))
  await using watcher = await watchPods(server)
  const { cluster, mirror } = watcher
  let bound = 0
  mirror.subscribe({
    onUpdate: (old, { metadata, spec }) => {
      const isWaiting = metadata.name?.startsWith('waiting-') ?? false
      if (isWaiting && old.spec.nodeName === undefined && spec.nodeName !== undefined) bound += 1
    },
  })
  const port = await freePort()
  await using berth = startRunner('berth', server, { healthAddress: `127.0.0.1:${port}` })
  const metrics = (): Promise<string> => readMetrics(`http://127.0.0.1:${port}/metrics`)
  const until = async (what: string, isDone: () => Promise<boolean> | boolean, everyMs: number): Promise<void> => {
    const deadlineMs = performance.now() + LIMIT_MS
    while (!(await isDone())) {
      const end = berth.exit()
      if (end !== undefined) throw new Error(`berth exited: ${end}: ${berth.lastLogLines()}`)
      if (performance.now() > deadlineMs) throw new Error(`timed out waiting for ${what}: ${berth.lastLogLines()}`)
      await pause(everyMs)
    }
  }
  const parked = async (): Promise<number> =>
    sumOf(await metrics().catch(() => ''), 'scheduler_pending_pods', 'queue="unschedulable"')
  const bindRounds = async (stem: string, rounds: number): Promise<BindCost[]> => {
    const costs: BindCost[] = []
    for (let round = 0; round < rounds; round++) {
      costs.push(await bindFitting(`${stem}-${round}`, fitting, { server, watcher, scheduler: berth, until }))
      await pause(BACKOFF_MS)
    }
    return costs
  }
  const untilIdle = (what: string): Promise<void> => until(what, idleCheck(berth), 1_000)
  const createWaiting = async (): Promise<void> => {
    await server.seed(waitingPods(waiting))
    await until('the pods to be unschedulable', async () => (await parked()) === waiting, 200)
    assertCorrect(bound === 0, `${bound} pods were bound that fit nowhere`)
    await pause(BACKOFF_MS)
    await untilIdle('the events and conditions to be written')
  }
  const removeWaiting = async (): Promise<void> => {
    const remove = (name: string): Promise<boolean> =>
      cluster.client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    await forEachConcurrently(waitingNames(waiting), DELETIONS_IN_FLIGHT, remove)
    await until('the waiting pods to be forgotten', async () => (await parked()) === 0, 200)
    await untilIdle('the scheduler to be idle')
  }
  const besideRounds = async (stem: string): Promise<BindCost[]> => {
    progress(`rounds beside ${waiting} pods that fit nowhere`)
    await createWaiting()
    const costs = await bindRounds(stem, HALF_ROUNDS)
    assertCorrect((await parked()) === waiting, 'pods that fit woke waiting pods')
    return costs
  }

  await bindRounds('warm-up', 2)
  const first = await besideRounds('beside-first')
  await removeWaiting()
  progress('rounds without them')
  const alone = await bindRounds('alone', 2 * HALF_ROUNDS)
  const beside = [...first, ...(await besideRounds('beside-last'))]
  await untilIdle('the events of the pods that fit to be written')
  const none = { seconds: 0, count: 0 }
  const attempts = observationsOf(await metrics(), ATTEMPTS, 'result="unschedulable"')
  const attemptUs = usPerObservation(none, attempts)
  progress(`${attempts.count} attempts of ${rounded(attemptUs)} us`)

  const heartbeats: number[] = []
  for (let round = 0; round < samples; round++) {
    const before = observationsOf(await metrics(), HANDLING, 'event="NodeUpdate"')
    const beats = Math.min(nodes, 200)
    await Promise.all(
      Array.from({ length: beats }, (_, i) =>
        cluster.client.patch(
          resourceRefs.nodes,
          { name: `node-${i}` },
          { status: { conditions: [{ type: 'Ready', status: 'True', reason: `Beat${round}` }] } },
          { type: 'merge', subresource: 'status' },
        ),
      ),
    )
    const handled = async (): Promise<number> => observationsOf(await metrics(), HANDLING, 'event="NodeUpdate"').count
    await until('the heartbeats to be handled', async () => (await handled()) >= before.count + beats, 50)
    heartbeats.push(usPerObservation(before, observationsOf(await metrics(), HANDLING, 'event="NodeUpdate"')))
  }
  assertCorrect((await parked()) === waiting, 'a heartbeat woke pods')

  progress('freed units')
  const latencies: number[] = []
  const cpuMsBefore = berth.cpuMs()
  const holders = holderNames(nodes).slice(0, samples * 20)
  for (const [i, name] of holders.entries()) {
    const startMs = performance.now()
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    await until('a freed unit to be placed', () => bound > i, 1)
    latencies.push(performance.now() - startMs)
  }
  const cpuUs = ((berth.cpuMs() - cpuMsBefore) * 1_000) / holders.length
  await pause(BACKOFF_MS)
  assertCorrect(bound === holders.length, `${bound} pods were bound to ${holders.length} freed units`)
  const among = `${waiting} waiting pods, ${nodes} nodes`
  return [
    line(`attempt for a pod that fits nowhere, ${among}: wall time`, 'us', [attemptUs]),
    line(`node heartbeat in the queue, ${among}: wall time`, 'us', heartbeats),
    line(`from the deletion of a holder to the bind of a waiting pod, ${among}`, 'ms', latencies),
    line(`99th percentile of the same`, 'ms', [p99(latencies)]),
    line(`everything that a freed unit causes, ${among}: CPU time of the scheduler`, 'us', [cpuUs]),
    ...costLines(size, alone, beside),
  ]
}

/** Measures the cost of pods that fit on no node: of attempts, of heartbeats, and of freed units. */
export const unschedulableBench: Bench = {
  name: 'unschedulable',
  summary: 'pods that fit nowhere, with Berth on a real kube-apiserver: attempts, heartbeats, freed units',
  async run({ isQuick, progress }) {
    if (realApiServerBinaries() === undefined)
      throw new Error('run the unschedulable benchmark: kube-apiserver is missing: run e2e/node-image/build-node-image')
    return isQuick
      ? measure({ nodes: 200, waiting: 300, fitting: 100 }, 2, progress)
      : measure({ nodes: 5_000, waiting: 10_000, fitting: 2_000 }, 10, progress)
  },
}
