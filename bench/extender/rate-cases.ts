import { untilBinding } from '@berth/e2e/real-scheduler/certificate-pair'
import { createAuthority } from '@berth/e2e/real-scheduler/certificates'
import { startExtender } from '@berth/e2e/real-scheduler/extender-process'
import { startKubeScheduler } from '@berth/e2e/real-scheduler/kube-scheduler'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { startProgram } from '@berth/process/testing'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchOptions, type Measurement, WrongResultError } from '../measurement.ts'
import type { Contender } from '../scheduler/contender.ts'
import { cpuMsOf } from '../scheduler/process-cpu.ts'
import { SCHEDULER_NAME } from '../scheduler/race-cluster.ts'
import { type RaceResult, runRace } from '../scheduler/run-race.ts'
import { sharedWorkload } from '../scheduler/workloads/waiting-pods.ts'
import { rounded, summarize } from '../statistics.ts'

const extenders = ['pass-through', 'berth'] as const
type ExtenderKind = (typeof extenders)[number]

const NODES = 1_000
/** Both programs compile their code, and Berth its engine's indexes, during the first pods. */
const UNTIMED_PODS = 300
const TIMED_PODS = 1_500
const ROUNDS = 6

/** Measures the rate of a real kube-scheduler whose pods an extender filters, scores and binds over mutual TLS. */
export async function benchRates({ isQuick, progress }: BenchOptions): Promise<readonly Measurement[]> {
  const [nodes, untimedPods, timedPods] = isQuick ? [200, 50, 200] : [NODES, UNTIMED_PODS, TIMED_PODS]
  const workload = sharedWorkload({ nodes, pods: untimedPods + timedPods })
  const rounds: Record<ExtenderKind, RaceResult>[] = []
  for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
    const results: Partial<Record<ExtenderKind, RaceResult>> = {}
    for (const kind of round % 2 === 0 ? extenders : extenders.toReversed()) {
      const run = (): Promise<RaceResult> =>
        runRace('kube-scheduler', { workload, untimedPods }, (server) => start(kind, server))
      const result = await untilCorrect(run, progress)
      results[kind] = result
      progress(`kube-scheduler with ${kind}: ${rounded(1e6 / result.usPerPod)} pods/s`)
    }
    rounds.push(results as Record<ExtenderKind, RaceResult>)
  }
  return figures.flatMap(([figure, name]) =>
    extenders.map((kind): Measurement => {
      const what = `kube-scheduler with ${kind}, ${nodes} nodes, ${timedPods} pods after ${untimedPods}: ${name} a pod`
      const summary = summarize(rounds.map((results) => results[kind][figure]))
      const line: Measurement = { bench: 'extender', case: what, unit: 'us', ...summary }
      if (kind === 'pass-through') return line
      // Each race is compared with the one beside it, because the speed of the machine changes from minute to minute.
      const ratios = rounds.map((results) => results['pass-through'][figure] / results.berth[figure])
      return { ...line, against: 'pass-through', ratio: summarize(ratios).median }
    }),
  )
}

const figures = [
  ['usPerPod', 'wall time'],
  ['cpuUsPerPod', 'CPU time of kube-scheduler and the extender'],
  ['serverCpuUsPerPod', 'CPU time of kube-apiserver'],
] as const satisfies readonly (readonly [keyof RaceResult, string])[]

/** Runs that did not count are repeated this often: on a slow disk, kube-scheduler drops events. */
const REPEATS = 2

/** @throws WrongResultError when every run had a wrong result. */
async function untilCorrect<T>(
  run: () => Promise<T>,
  progress: BenchOptions['progress'],
  repeats = REPEATS,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof WrongResultError) || repeats === 0) throw error
    progress(`a run did not count: ${error.message}`)
    return await untilCorrect(run, progress, repeats - 1)
  }
}

async function start(kind: ExtenderKind, server: RealApiServer): Promise<Contender> {
  const { dir } = server
  const authority = await createAuthority()
  const serving = await authority.issue('extender')
  const kubeconfig = server.kubeconfig()
  const extender =
    kind === 'berth'
      ? await startExtender({
          dir,
          name: kind,
          kubeconfig,
          server: serving,
          ca: authority.ca,
          config: { bind: true, kubeApiQps: 10_000, kubeApiBurst: 20_000 },
          isBuilt: true,
        })
      : await startPassThrough(dir, { kubeconfig, ...serving, ca: authority.ca })
  const caller = await authority.issue('kube-scheduler')
  // Berth joins the election with its first bind call, and refuses binds until it leads.
  if (kind === 'berth') await untilBinding(extender.port, { ca: authority.ca, ...caller })
  const scheduler = startKubeScheduler({
    dir,
    kubeconfig,
    extender: { port: extender.port, ca: authority.ca, caller, entry: { httpTimeout: '5s' } },
    config: { profiles: [{ schedulerName: SCHEDULER_NAME }] },
  })
  return {
    cpuMs: () => cpuMsOf(scheduler.pid) + cpuMsOf(extender.pid),
    exit: () => scheduler.exit(),
    lastLogLines: () => scheduler.lastLogLines(),
    async [Symbol.asyncDispose]() {
      await scheduler.kill()
      await extender[Symbol.asyncDispose]()
    },
  }
}

async function startPassThrough(
  dir: string,
  files: Readonly<Record<'kubeconfig' | 'cert' | 'key' | 'ca', string>>,
): Promise<AsyncDisposable & { readonly port: number; readonly pid: number }> {
  const paths = (['kubeconfig', 'cert', 'key', 'ca'] as const).map((name) => {
    const path = join(dir, `pass-through.${name}`)
    writeFileSync(path, files[name], { mode: 0o600 })
    return path
  })
  const { child, line, ended } = startProgram(join(import.meta.dirname, 'pass-through-main.ts'), paths)
  const { port } = await line('listening')
  return {
    port: Number(port),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
