import { join } from 'node:path'
import type { Bench, BenchOptions, Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { timeCases } from '../time-cases.ts'
import { timeInOwnProcesses } from '../time-in-own-processes.ts'
import { checkDecision, checkSums } from './answer-checks.ts'
import { changeCases } from './change-cases.ts'
import {
  checkDecisions,
  decisionCases,
  FIT_REPEATED,
  FIT_SCANNED,
  largeCases,
  PASS_REPEATED,
  PASS_SCANNED,
} from './decision-cases.ts'
import { checkExplain, explainCases } from './explain-cases.ts'
import { candidatePod, goCluster } from './go-cluster.ts'
import { type GoSamples, runGoBenchmarks } from './go-benchmarks.ts'
import { checkTopology, HARD_PASS, SOFT_PASS, topologyCases, topologyCluster } from './topology-cases.ts'
import { measureHeapGrowth, type MemorySamples, measureClusterMemory } from './memory-cases.ts'

const NODES = 5000
const singleCase = join(import.meta.dirname, 'single-case.ts')
const LARGE = 50_000
const MILLION = 1_000_000
const GO_FIT = 'kube-scheduler: Fit filter + LeastAllocated score, 5,000 nodes'
const GO_PASS = 'kube-scheduler: six filters + five scores, 5,000 nodes'
const GO_HARD = 'kube-scheduler: eight filters + seven scores, hard zone spread and pod anti-affinity, 5,000 nodes'
const GO_SOFT = 'kube-scheduler: eight filters + seven scores, soft zone spread and pod anti-affinity, 5,000 nodes'
/** The Go benchmarks to run. */
const GO_NAMES = ['FitFilter', 'LeastAllocatedScore', 'FilterAndScorePass', 'TopologyPass']

type Baselines = ReadonlyMap<string, { readonly against: string; readonly median: number }>

function line(name: string, unit: Measurement['unit'], samples: readonly number[], baselines?: Baselines): Measurement {
  const summary = summarize(samples)
  const baseline = baselines?.get(name)
  const compared = baseline && { ratio: rounded(baseline.median / summary.median), against: baseline.against }
  return { bench: 'fit', case: name, unit, ...summary, ...compared }
}

/** Returns the Go benchmarks by case name. Go measures Fit's filter and score separately, so the two are added up. */
function goCases(go: GoSamples): ReadonlyMap<string, readonly number[]> {
  const cases = new Map<string, readonly number[]>()
  const [filter, score, pass] = ['FitFilter', 'LeastAllocatedScore', 'FilterAndScorePass'].map((name) => go.get(name))
  if (filter !== undefined && score !== undefined)
    cases.set(
      GO_FIT,
      filter.map((us, i) => us + (score[i] ?? 0)),
    )
  const named = [
    [GO_PASS, pass],
    [GO_HARD, go.get('TopologyPass/DoNotSchedule')],
    [GO_SOFT, go.get('TopologyPass/ScheduleAnyway')],
  ] as const
  for (const [name, samples] of named) if (samples !== undefined) cases.set(name, samples)
  return cases
}

function baselinesOf(cases: ReadonlyMap<string, readonly number[]>): Baselines {
  const pairs = [
    [FIT_SCANNED, GO_FIT],
    [FIT_REPEATED, GO_FIT],
    [PASS_SCANNED, GO_PASS],
    [PASS_REPEATED, GO_PASS],
    [HARD_PASS, GO_HARD],
    [SOFT_PASS, GO_SOFT],
  ] as const
  return new Map(
    pairs.flatMap(([name, against]) => {
      const samples = cases.get(against)
      return samples === undefined ? [] : [[name, { against, median: summarize(samples).median }] as const]
    }),
  )
}

function timeLarge(options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const cluster = goCluster(LARGE)
  checkDecision(cluster, candidatePod(), '50,000 nodes')
  const times = timeCases(largeCases(cluster), options)
  checkDecision(cluster, candidatePod(), '50,000 nodes, afterwards')
  return times
}

function timeDecisions(options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const cluster = goCluster(NODES)
  checkDecisions(cluster)
  checkExplain(cluster)
  checkSums(cluster)
  const cases = [...decisionCases(cluster), ...changeCases(cluster), ...explainCases(cluster)]
  return timeInOwnProcesses(
    [singleCase, 'usual'],
    cases.map(({ name }) => name),
    options,
  )
}

function timeTopology(options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const cluster = topologyCluster(NODES)
  checkTopology(cluster)
  return timeInOwnProcesses(
    [singleCase, 'topology'],
    topologyCases(cluster).map(({ name }) => name),
    options,
  )
}

async function run(options: BenchOptions): Promise<readonly Measurement[]> {
  const { isQuick, progress } = options
  progress('checking the results')
  const memory: MemorySamples = measureClusterMemory(isQuick ? 1 : 3, progress)
  const growth = measureHeapGrowth(isQuick ? MILLION / 20 : MILLION, progress)
  const times = timeDecisions(options)
  const topology = timeTopology(options)
  const large = timeLarge(options)
  const go = goCases(runGoBenchmarks(GO_NAMES, { samples: isQuick ? 1 : 5, progress }))
  const baselines = baselinesOf(go)
  return [
    ...Array.from([...times, ...topology, ...large], ([name, samples]) => line(name, 'us', samples, baselines)),
    ...Array.from(go, ([name, samples]) => line(name, 'us', samples)),
    ...Array.from(memory, ([name, samples]) => line(name, 'B', samples)),
    line(`heap growth over ${isQuick ? MILLION / 20 : MILLION} pods`, 'B', [growth]),
  ]
}

/** Measures the fit engine alone, and the same plugins of kube-scheduler in Go if Go is installed. */
export const fitBench: Bench = {
  name: 'fit',
  summary: "the fit engine: decisions, events, explain, memory; with Go also kube-scheduler's own plugins",
  run,
}
