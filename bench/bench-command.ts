import type { CommandDefinition } from '@berth/process/command'

/** Returns the command line of `npm run bench`. */
export function benchCommand(
  benches: readonly { readonly name: string; readonly summary: string }[],
): CommandDefinition {
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
    ],
    examples: [{ command: 'npm run bench -- fit --quick', description: 'Try the benchmark of the engine' }],
    notes: ['Prints progress to stderr. Exit status 1: a result was wrong, and no measurement was printed.'],
  }
}
