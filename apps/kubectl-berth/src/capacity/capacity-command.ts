import type { Command } from '../cli/command.ts'

/** `kubectl berth capacity`. */
export const capacityCommand: Command = {
  name: 'capacity',
  summary: 'Shows how much of each extended resource the nodes offer, how much pods request, and how much is free.',
  arguments: [{ name: 'RESOURCE', description: 'Show only this resource.' }],
  usesCluster: true,
  flags: [
    { name: 'all', description: 'Also show cpu, memory and other native resources.' },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['json', 'yaml'],
      description: 'Output format.',
    },
  ],
  examples: [
    { command: 'kubectl berth capacity', description: 'Every extended resource' },
    { command: 'kubectl berth capacity example.com/dongle -o json', description: 'One resource, for programs' },
  ],
  async run(line, context) {
    const { runCapacity } = await import('./run-capacity.ts')
    await runCapacity(line, context)
  },
}
