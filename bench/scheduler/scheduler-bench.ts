import { realApiServerBinaries } from '@berth/e2e/real-api-server/real-api-server'
import type { Bench, BenchOptions, Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import type { Workload } from './race-cluster.ts'
import { type RaceResult, type Runner, runRace } from './run-race.ts'

const runners: readonly Runner[] = ['kube-scheduler', 'berth']
const sizes = [
  { nodes: 1000, pods: 1500 },
  { nodes: 5000, pods: 1500 },
] as const
const quickSizes = [{ nodes: 200, pods: 200 }] as const
const workloads: Readonly<Record<Workload, string>> = {
  dongle: 'one extended resource each',
  spread: 'with a zone spread and a preferred anti-affinity',
}

async function race(
  setting: { readonly nodes: number; readonly pods: number; readonly workload: Workload },
  { isQuick, progress }: BenchOptions,
): Promise<readonly Measurement[]> {
  const results: Record<Runner, RaceResult[]> = { berth: [], 'kube-scheduler': [] }
  const rounds = isQuick ? 1 : 3
  const what = `${setting.pods} pods ${workloads[setting.workload]}, ${setting.nodes} nodes`
  for (let round = 0; round < rounds; round++) {
    // The first scheduler changes from round to round.
    for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
      const result = await runRace(runner, setting)
      results[runner].push(result)
      const { usPerPod, cpuUsPerPod, eventLagMs } = result
      const rates = `${rounded(1e6 / usPerPod)} pods/s, ${rounded(cpuUsPerPod)} us of processor a pod`
      progress(`${what}: ${runner} ${rates}, all events ${rounded(eventLagMs)} ms after the last bind`)
    }
  }
  return (['usPerPod', 'cpuUsPerPod'] as const).flatMap((value) => {
    const name = value === 'usPerPod' ? 'wall time a pod' : 'processor time a pod'
    return runners.map((runner): Measurement => {
      const samples = results[runner].map((result) => result[value])
      const measured = {
        bench: 'scheduler',
        case: `${runner}: ${what}: ${name}`,
        unit: 'us' as const,
        ...summarize(samples),
      }
      if (runner === 'kube-scheduler') return measured
      const baseline = results['kube-scheduler'].map((result) => result[value])
      return { ...measured, against: 'kube-scheduler', ratio: rounded(summarize(baseline).median / measured.median) }
    })
  })
}

/** Measures whole schedulers: the wall time and CPU time to place pods. */
export const schedulerBench: Bench = {
  name: 'scheduler',
  summary: 'pods placed by Berth and by kube-scheduler on a real kube-apiserver and etcd',
  async run(options) {
    if (realApiServerBinaries() === undefined)
      throw new Error(
        'run the scheduler benchmark: kube-scheduler, etcd and kube-apiserver are missing: run e2e/node-image/build-node-image',
      )
    const lines: Measurement[] = []
    for (const size of options.isQuick ? quickSizes : sizes) {
      for (const workload of ['dongle', 'spread'] as const) lines.push(...(await race({ ...size, workload }, options)))
    }
    return lines
  },
}
