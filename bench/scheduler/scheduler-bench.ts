import { realApiServerBinaries } from '@berth/e2e/real-api-server/real-api-server'
import type { Bench, BenchOptions, Measurement } from '../measurement.ts'
import { profileRace } from './flame-graph/profile-race.ts'
import type { Goal } from './goals.ts'
import { measureMemory } from './memory/measure-memory.ts'
import { schedulerProgram } from './memory/scheduler-programs.ts'
import type { ClusterSize } from './memory/seeded-cluster.ts'
import { compared, runRaceCase } from './race-case.ts'
import { raceCases } from './race-cases.ts'

const MIB = 1_048_576

/** A cluster on which the resident memory of both schedulers is measured. */
interface MemoryCase {
  readonly name: string
  readonly size: ClusterSize
  readonly goal: Goal
}

const memoryCases: readonly MemoryCase[] = [
  {
    name: 'memory-5k',
    size: { nodes: 5_000, bound: 48_000, waiting: 2_000 },
    goal: { medianAtMost: 250 * MIB },
  },
  {
    name: 'memory-50k',
    size: { nodes: 50_000, bound: 198_000, waiting: 2_000 },
    goal: { medianAtMost: 600 * MIB },
  },
]
const schedulers = [schedulerProgram('kube-scheduler', 'kube-scheduler'), schedulerProgram('berth', 'berth')]
const quickSize: ClusterSize = { nodes: 100, bound: 500, waiting: 100 }

async function runMemoryCase({ name, size, goal }: MemoryCase, options: BenchOptions): Promise<readonly Measurement[]> {
  const lines = await measureMemory(schedulers, options.isQuick ? quickSize : size, options)
  const ofKind = (kind: string): readonly Measurement[] =>
    lines
      .filter((line) => line.case.includes(kind))
      .map((line) => ({ ...line, bench: 'scheduler', case: `${name}: ${line.case}` }))
  return [...compared(ofKind('resident'), options.isQuick ? undefined : goal), ...compared(ofKind('peak'), undefined)]
}

const cases: readonly {
  readonly name: string
  readonly run: (options: BenchOptions) => Promise<readonly Measurement[]>
}[] = [
  ...raceCases.map((each) => ({ name: each.name, run: (options: BenchOptions) => runRaceCase(each, options) })),
  ...memoryCases.map((each) => ({ name: each.name, run: (options: BenchOptions) => runMemoryCase(each, options) })),
]

function requireBinaries(): void {
  if (realApiServerBinaries() === undefined)
    throw new Error(
      'run the scheduler benchmark: kube-scheduler, etcd and kube-apiserver are missing: run e2e/node-image/build-node-image',
    )
}

/** Measures whole schedulers: throughput, CPU time, latency and memory. */
export const schedulerBench: Bench = {
  name: 'scheduler',
  summary: 'pods placed by Berth and by kube-scheduler on a real kube-apiserver and etcd',
  cases: cases.map(({ name }) => name),
  flameGraphs: raceCases.map(({ name }) => name),
  async drawFlameGraph({ case: name, isQuick, progress, ...options }) {
    requireBinaries()
    const found = raceCases.find((each) => each.name === name)
    if (found === undefined) throw new RangeError(`draw a flame graph: there is no case ${name}`)
    const workload = isQuick ? found.quick : found.workload
    const { nodes, pods, description } = workload
    const title = `Berth's scheduler, ${name}: ${pods} pods ${description}, ${nodes} nodes`
    progress(`${title}: profiling`)
    await profileRace({ name, title, workload }, options)
  },
  async run(options) {
    requireBinaries()
    const lines: Measurement[] = []
    for (const { name, run } of cases) {
      if (options.case === undefined || options.case === name) lines.push(...(await run(options)))
    }
    return lines
  },
}
