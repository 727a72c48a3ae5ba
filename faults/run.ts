/**
 * `npm run faults -- --seeds N`: runs scheduler, extender, advertiser and device plugin together on the embedded cluster in
 * virtual time, under the faults that each seed chooses. `--from` repeats one seed, `--mutants` plants bugs.
 */
import { availableParallelism } from 'node:os'
import { commandLineOrExit } from '@berth/process/command'
import { failureText, lostSeedsText } from './failure-text.ts'
import { runSeeds } from './jobs/run-seeds.ts'
import { createRunSummary } from './jobs/run-summary.ts'
import { checkMutants } from './mutants/check-mutants.ts'
import { mutants } from './mutants/mutants.ts'

const MUTANT_SEEDS = 60
const PROGRESS_EVERY = 100
/** The exit status of a shell for a program that was ended with Ctrl-C. */
const INTERRUPTED = 130
/** One core stays free for other programs. */
const DEFAULT_JOBS = Math.max(1, availableParallelism() - 1)

const line = commandLineOrExit(
  {
    name: 'npm run faults --',
    summary: 'Runs all apps on the embedded cluster in virtual time under seeded faults, and judges the invariants.',
    flags: [
      { name: 'seeds', placeholder: 'N', range: { min: 1, max: 1e9 }, description: 'Number of seeds. Default: 10000.' },
      { name: 'from', placeholder: 'SEED', range: { min: 1, max: 2 ** 31 }, description: 'First seed. Default: 1.' },
      {
        name: 'jobs',
        placeholder: 'N',
        range: { min: 1, max: 256 },
        description: 'Number of processes at a time. Default: one less than the number of cores, at least 1.',
      },
      { name: 'stop', description: 'Stop at the first seed that fails.' },
      {
        name: 'mutant',
        placeholder: 'NAME',
        choices: mutants.map(({ name }) => name),
        description: 'Plant a bug.',
      },
      {
        name: 'mutants',
        description: `Plant every bug in turn and check that it is caught. Default of --seeds: ${MUTANT_SEEDS}.`,
      },
    ],
    examples: [
      { command: 'npm run faults -- --from 17 --seeds 1', description: 'Repeat seed 17' },
      { command: 'npm run faults -- --mutants', description: 'Check that the run finds every planted bug' },
    ],
  },
  process.argv.slice(2),
)

const stop = new AbortController()
const { signal } = stop
// Ctrl-C may arrive twice: from the terminal and from npm.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
const write = (text: string): void => void process.stdout.write(text)
const jobs = line.number('jobs') ?? DEFAULT_JOBS

if (line.has('mutants')) {
  const areCaught = await checkMutants({ seeds: line.number('seeds') ?? MUTANT_SEEDS, jobs, signal, write })
  if (!areCaught) process.exitCode = 1
} else {
  const seeds = line.number('seeds') ?? 10_000
  const mutant = line.text('mutant')
  const summary = createRunSummary({ mutant })
  const startedMs = performance.now()
  const seconds = (): string => `${((performance.now() - startedMs) / 1_000).toFixed(0)} s`
  await runSeeds({
    from: line.number('from') ?? 1,
    seeds,
    jobs,
    mutant,
    signal,
    stopsAtFailure: line.has('stop'),
    onResult(result) {
      summary.add(result)
      if (result.problems.length > 0) write(failureText(result, mutant))
      const done = summary.done()
      if (done % PROGRESS_EVERY === 0)
        process.stderr.write(`${done} of ${seeds} seeds, ${summary.failed()} failed, ${seconds()}\n`)
    },
    onLost(lost) {
      summary.addLost(lost)
      write(lostSeedsText(lost, mutant))
    },
  })
  if (signal.aborted) write(`Interrupted after ${summary.done()} of ${seeds} seeds.\n`)
  write(`${summary.done()} seeds, ${summary.failed()} failed, ${seconds()}\n${summary.text()}`)
  const missing = summary.missingFaults()
  if (missing.length > 0)
    write(`These faults never happened, so the run proves nothing about them: ${missing.join('; ')}\n`)
  if (summary.failed() > 0 || missing.length > 0) process.exitCode = 1
}
if (signal.aborted) process.exitCode = INTERRUPTED
