/** `npm run bench -- NAME`: prints one JSON line per case, and only when every result was correct. */
import { parseBenchArgs } from './bench-args.ts'
import { clientBench } from './client/client-bench.ts'
import { fitBench } from './fit/fit-bench.ts'
import { type Bench, WrongResultError } from './measurement.ts'
import { schedulerBench } from './scheduler/scheduler-bench.ts'
import { simulatorBench } from './simulator/simulator-bench.ts'

const benches: readonly Bench[] = [fitBench, clientBench, schedulerBench, simulatorBench]

const usage = `Usage: npm run bench -- NAME [--quick]

${benches.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  --quick    take few samples, to check that the benchmark works; do not publish them

Prints one JSON line per case to stdout and progress to stderr.
Exit status 1: a result was wrong, and no measurement was printed.
`

async function main(): Promise<number> {
  const args = parseBenchArgs(
    process.argv.slice(2),
    benches.map(({ name }) => name),
  )
  if (args.kind === 'help') {
    process.stdout.write(usage)
    return 0
  }
  const bench = args.kind === 'run' ? benches.find(({ name }) => name === args.name) : undefined
  if (args.kind === 'refused' || bench === undefined) {
    process.stderr.write(`${args.kind === 'refused' ? args.reason : 'unknown benchmark'}\n\n${usage}`)
    return 2
  }
  try {
    const progress = (line: string): void => console.error(line)
    for (const line of await bench.run({ isQuick: args.isQuick, progress })) console.log(JSON.stringify(line))
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
