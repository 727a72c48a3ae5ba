import type { Command } from '../cli/command.ts'

/** `kubectl berth capacity`. */
export const capacityCommand: Command = {
  name: 'capacity',
  summary: 'Shows what nodes offer of each extended resource, how much is asked for, and what is left.',
  arguments: [{ name: 'RESOURCE', description: 'Show only this resource.' }],
  usesCluster: true,
  flags: [
    { name: 'all', description: 'Also cpu, memory and what else is no extended resource.' },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['json', 'yaml'],
      description: 'Format of the answer.',
    },
  ],
  examples: [
    { command: 'kubectl berth capacity', description: 'Every extended resource' },
    { command: 'kubectl berth capacity example.com/dongle -o json', description: 'One of them, for programs' },
  ],
  async run(line, context) {
    const { runCapacity } = await import('./run-capacity.ts')
    await runCapacity(line, context)
  },
}
