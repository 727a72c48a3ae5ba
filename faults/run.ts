/**
 * `npm run faults -- --seeds N`: runs scheduler, extender, advertiser and device plugin together on the embedded cluster in
 * virtual time, under the faults that each seed chooses. `--from` repeats one seed, `--mutants` plants bugs.
 */
import { commandLineOrExit } from '@berth/process/command'
import { createFaultCounts } from './fault-counts.ts'
import { failureText } from './failure-text.ts'
import { checkMutants } from './mutants/check-mutants.ts'
import { mutants } from './mutants/mutants.ts'
import { runSeeds } from './run-seeds.ts'

const MUTANT_SEEDS = 60
const PROGRESS_EVERY = 100

const line = commandLineOrExit(
  {
    name: 'npm run faults --',
    summary: 'Runs all apps on the embedded cluster in virtual time under seeded faults, and judges the invariants.',
    flags: [
      { name: 'seeds', placeholder: 'N', range: { min: 1, max: 1e9 }, description: 'Number of seeds. Default: 10000.' },
      { name: 'from', placeholder: 'SEED', range: { min: 1, max: 2 ** 31 }, description: 'First seed. Default: 1.' },
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

if (line.has('mutants')) {
  const areCaught = await checkMutants(line.number('seeds') ?? MUTANT_SEEDS, (text) => process.stdout.write(text))
  process.exit(areCaught ? 0 : 1)
}
const startedMs = performance.now()
const seeds = line.number('seeds') ?? 10_000
const counts = createFaultCounts()
let done = 0
let failed = 0
await runSeeds({
  from: line.number('from') ?? 1,
  seeds,
  mutant: line.text('mutant'),
  stopsAtFailure: line.has('stop'),
  onResult(result) {
    counts.add(result)
    if (result.problems.length > 0) {
      failed++
      process.stdout.write(failureText(result))
    }
    done++
    if (done % PROGRESS_EVERY === 0) process.stderr.write(`${done} of ${seeds} seeds, ${failed} failed\n`)
  },
})
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
process.stdout.write(`${done} seeds, ${failed} failed, ${seconds} s\n${counts.text()}`)
if (failed > 0) process.exitCode = 1
