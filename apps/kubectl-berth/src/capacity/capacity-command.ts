import type { Command } from '../cli/command.ts'
import { profileFlags } from '../profile/profile-flags.ts'

/** `kubectl berth capacity`. */
export const capacityCommand: Command = {
  name: 'capacity',
  summary: 'Shows how much of each extended resource the nodes offer, how much pods request, and how much is free.',
  arguments: [{ name: 'RESOURCE', description: 'Show only this resource.' }],
  usesCluster: true,
  flags: [
    {
      name: 'devices',
      description: 'Also show which container holds which device. Needs kubelets that report it, from Kubernetes 1.36.',
    },
    { name: 'all', description: 'Also show cpu, memory and other native resources.' },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['json', 'yaml'],
      description: 'Output format.',
    },
    ...profileFlags,
  ],
  examples: [
    { command: 'kubectl berth capacity', description: 'Every extended resource' },
    {
      command: 'kubectl berth capacity --scheduler-config scheduler.yaml --plugin-dir my-plugins',
      description: 'What a scheduler with this profile and these plugins can still place',
    },
    { command: 'kubectl berth capacity example.com/dongle --devices', description: 'Which pod holds which dongle' },
    { command: 'kubectl berth capacity example.com/dongle -o json', description: 'One resource, for programs' },
  ],
  async run(line, context) {
    const { runCapacity } = await import('./run-capacity.ts')
    await runCapacity(line, context)
  },
}
