/** `npm run bench -- NAME`: measures, one JSON line a case, and only what was checked to be right. */
import { parseBenchArgs } from './bench-args.ts'
import { clientBench } from './client/client-bench.ts'
import { fitBench } from './fit/fit-bench.ts'
import { type Bench, WrongAnswerError } from './measurement.ts'
import { schedulerBench } from './scheduler/scheduler-bench.ts'
import { simulatorBench } from './simulator/simulator-bench.ts'

const benches: readonly Bench[] = [fitBench, clientBench, schedulerBench, simulatorBench]

const usage = `Usage: npm run bench -- NAME [--quick]

${benches.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  --quick    few samples: to see that everything works, not to publish

Prints one JSON line a case; progress goes to stderr. Exit 1: an answer was wrong and no number was printed.
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
    process.stderr.write(`${args.kind === 'refused' ? args.reason : 'there is no such bench'}\n\n${usage}`)
    return 2
  }
  try {
    const progress = (line: string): void => console.error(line)
    for (const line of await bench.run({ isQuick: args.isQuick, progress })) console.log(JSON.stringify(line))
    return 0
  } catch (error) {
    if (!(error instanceof WrongAnswerError)) throw error
    console.error(error.message)
    return 1
  }
}

// An interrupted run must leave no server behind; those that run end with this process.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))

process.exitCode = await main()
