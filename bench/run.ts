/** `npm run bench -- NAME`: prints one JSON line per case, and only when every result was correct. */
import { commandLineOrExit, exitAs, refuseCommandLine } from '@berth/process/command'
import { advertiserBench } from './advertiser/advertiser-bench.ts'
import { benchCommand, caseProblem, flameGraphProblem } from './bench-command.ts'
import { cliBench } from './cli/cli-bench.ts'
import { clientBench } from './client/client-bench.ts'
import { extenderBench } from './extender/extender-bench.ts'
import { extenderLoadBench } from './extender-load/extender-load-bench.ts'
import { devicePluginBench } from './device-plugin/device-plugin-bench.ts'
import { floorsBench } from './floors/floors-bench.ts'
import { fitBench } from './fit/fit-bench.ts'
import { type Bench, WrongResultError } from './measurement.ts'
import { memoryBench } from './memory/memory-bench.ts'
import { pluginsBench } from './plugins/plugins-bench.ts'
import { scaleBench } from './scale/scale-bench.ts'
import { encodingsBench } from './scheduler/encodings-bench.ts'
import { schedulerBench } from './scheduler/scheduler-bench.ts'
import { simulatorBench } from './simulator/simulator-bench.ts'
import { uiBench } from './ui/ui-bench.ts'
import { unschedulableBench } from './unschedulable/unschedulable-bench.ts'

const benches: readonly Bench[] = [
  fitBench,
  clientBench,
  floorsBench,
  schedulerBench,
  encodingsBench,
  unschedulableBench,
  simulatorBench,
  pluginsBench,
  extenderBench,
  extenderLoadBench,
  devicePluginBench,
  advertiserBench,
  cliBench,
  uiBench,
  memoryBench,
  scaleBench,
]

async function main(): Promise<number> {
  const command = benchCommand(benches)
  const line = commandLineOrExit(command, process.argv.slice(2))
  const bench = benches.find(({ name }) => name === line.words[0])
  if (bench === undefined) throw new Error(`run benchmark: unknown name "${line.words[0]}"`)
  const only = line.text('case')
  const [flameGraphDir, bundle] = [line.text('flame-graph'), line.text('bundle')]
  const problem =
    (only === undefined ? undefined : caseProblem(bench, only)) ??
    (flameGraphDir === undefined ? undefined : flameGraphProblem(bench, only)) ??
    (bundle !== undefined && flameGraphDir === undefined ? '--bundle: expected --flame-graph, too' : undefined)
  if (problem !== undefined) return exitAs(refuseCommandLine(command, problem))
  try {
    const progress = (text: string): void => console.error(text)
    const isQuick = line.has('quick')
    if (flameGraphDir !== undefined && only !== undefined) {
      await bench.drawFlameGraph?.({ case: only, dir: flameGraphDir, bundle, isQuick, progress })
      return 0
    }
    const options = { isQuick, case: only, curvesDir: line.text('curves'), progress }
    for (const result of await bench.run(options)) console.log(JSON.stringify(result))
    return 0
  } catch (error) {
    if (!(error instanceof WrongResultError)) throw error
    console.error(error.message)
    return 1
  }
}

// An interrupted run must not leave servers running. They end with this process.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))

process.exitCode = await main()
