import type { CommandDefinition } from '@berth/process/command'
import type { Bench } from './measurement.ts'

/** Returns the command line of `npm run bench`. */
export function benchCommand(benches: readonly Pick<Bench, 'name' | 'summary' | 'cases'>[]): CommandDefinition {
  const cases = benches.flatMap(({ name, cases = [] }) => (cases.length === 0 ? [] : `${name}: ${cases.join(', ')}`))
  return {
    name: 'npm run bench --',
    summary: 'Measures one part of Berth. Prints one JSON line per case, and only when every result was correct.',
    arguments: [
      {
        name: 'NAME',
        description: benches.map(({ name, summary }) => `${name}: ${summary}.`.replace('..', '.')).join(' '),
        isRequired: true,
        choices: benches.map(({ name }) => name),
      },
    ],
    flags: [
      { name: 'quick', description: 'Take few samples, to check that the benchmark works; do not publish them.' },
      { name: 'case', placeholder: 'CASE', description: `Run only this case. ${cases.join('. ')}.` },
      {
        name: 'curves',
        placeholder: 'DIR',
        description: 'Write the curves and the raw results of each case of scheduler to this folder.',
      },
      {
        name: 'flame-graph',
        placeholder: 'DIR',
        description: 'With --case: instead of measuring, draw where the scheduler spends its time, in this folder.',
      },
      {
        name: 'bundle',
        placeholder: 'FILE',
        description: 'With --flame-graph: the main.js of another version of the scheduler.',
      },
    ],
    examples: [
      { command: 'npm run bench -- fit --quick', description: 'Try the benchmark of the engine' },
      { command: 'npm run bench -- scheduler --case unique-5k', description: 'Run one case' },
      {
        command: 'npm run bench -- scheduler --case shared-5k --flame-graph .',
        description: 'Draw where the scheduler spends its time',
      },
    ],
    notes: ['Prints progress to stderr. Exit status 1: a result was wrong, and no measurement was printed.'],
  }
}

/** Returns why a benchmark cannot draw a flame graph of a case; undefined if it can. */
export function flameGraphProblem(
  { name, flameGraphs = [] }: Pick<Bench, 'name' | 'flameGraphs'>,
  wanted: string | undefined,
): string | undefined {
  if (wanted !== undefined && flameGraphs.includes(wanted)) return undefined
  return flameGraphs.length === 0
    ? `--flame-graph: ${name} has no flame graphs`
    : `--flame-graph: expected --case with one of ${flameGraphs.join(', ')}`
}

/** Returns why a benchmark cannot run a case; undefined if it can. */
export function caseProblem({ name, cases = [] }: Pick<Bench, 'name' | 'cases'>, wanted: string): string | undefined {
  if (cases.includes(wanted)) return undefined
  return cases.length === 0
    ? `--case ${wanted}: ${name} has no cases`
    : `--case ${wanted}: expected one of ${cases.join(', ')}`
}
