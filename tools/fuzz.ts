/** `npm run fuzz`: feeds changed inputs to every parser and endpoint and prints each input that breaks a contract. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { availableParallelism } from 'node:os'
import { runTargets } from './fuzz/supervisor/run-targets.ts'
import { listTargets } from './fuzz/target/list-targets.ts'
import { targetName } from './fuzz/target/load-target.ts'

const MAX_MINUTES = 7 * 24 * 60
const files = listTargets()

const command: CommandDefinition = {
  name: 'npm run fuzz --',
  summary:
    'Feeds changed inputs to every parser and endpoint, guided by coverage, and prints each that breaks a contract.',
  flags: [
    {
      name: 'target',
      placeholder: 'NAME',
      isRepeatable: true,
      choices: files.map(targetName),
      description: `Only this target: ${files.map(targetName).join(', ')}.`,
    },
    {
      name: 'minutes',
      placeholder: 'N',
      range: { min: 1, max: MAX_MINUTES },
      description: 'Time for all targets together, in which they also load. Default: 10.',
    },
    {
      name: 'seconds',
      placeholder: 'N',
      range: { min: 0, max: 3_600 },
      description: 'The same in seconds. 0 runs only the inputs that are in the tree.',
    },
    {
      name: 'seed',
      placeholder: 'N',
      range: { min: 0, max: 2 ** 31 },
      description: 'Seed of the changes. Default: the current time.',
    },
    { name: 'save', description: 'Write inputs that reach new code to the corpus in the tree.' },
  ],
  examples: [
    { command: 'npm run fuzz -- --minutes 60', description: 'All targets for an hour' },
    { command: 'npm run fuzz -- --target quantity --minutes 5', description: 'One target' },
  ],
  notes: [
    'An input that breaks a contract is written to .berth/fuzz/findings. Fix the parser, add a regression test beside it, and',
    'move the input to the corpus of the target: test/fuzz/corpus/NAME.',
  ],
}

const line = commandLineOrExit(command, process.argv.slice(2))
const names = line.texts('target')
const minutes = line.number('minutes') ?? 10
const chosen = files.filter((file) => names.length === 0 || names.includes(targetName(file)))
const isOk = await runTargets(chosen, {
  budgetMs: (line.number('seconds') ?? minutes * 60) * 1_000,
  seed: line.number('seed') ?? Math.floor(Date.now() / 1_000),
  isSaving: line.has('save'),
  threads: availableParallelism(),
})
process.exitCode = isOk ? 0 : 1
