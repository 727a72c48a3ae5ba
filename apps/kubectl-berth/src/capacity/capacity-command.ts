import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'
import { profileFlags } from '../profile/profile-flags.ts'
import { sortKeys } from './rows/sort-rows.ts'

/** `kubectl berth capacity`. */
export const capacityCommand: Command = {
  name: 'capacity',
  summary:
    'Shows how much of each extended resource the nodes offer, how much pods request, who holds it, and how much is free.',
  arguments: [{ name: 'RESOURCE', description: 'Show only this resource.' }],
  usesCluster: true,
  completes: ['resources', 'nothing'],
  flags: [
    { name: 'pods', description: 'Also show which pods request how much on each node.' },
    {
      name: 'devices',
      description:
        "Also show which container holds which device, and which devices are unhealthy: from the pods' status (Kubernetes 1.36 or newer), otherwise from Berth's device plugin through the pod proxy.",
    },
    { name: 'all', description: 'Also show cpu, memory and other native resources.' },
    {
      name: 'namespace',
      short: 'n',
      placeholder: 'NAME',
      description:
        'Count the requests and limits of this namespace only. Free units take the pods of all namespaces into account.',
    },
    { name: 'selector', short: 'l', placeholder: 'SELECTOR', description: 'Only nodes with these labels.' },
    {
      name: 'group-by',
      placeholder: 'LABEL',
      description: 'One line for each value of this node label, for example topology.kubernetes.io/zone.',
    },
    {
      name: 'sort-by',
      placeholder: 'COLUMN',
      choices: sortKeys,
      description: 'Largest first; use is the requested share. Default: name.',
    },
    { name: 'watch', short: 'w', description: 'Show it again whenever it changes, until Ctrl-C.' },
    outputFlag,
    ...profileFlags,
  ],
  examples: [
    { command: 'kubectl berth capacity', description: 'Every extended resource' },
    {
      command: 'kubectl berth capacity --all --group-by topology.kubernetes.io/zone --sort-by free',
      description: 'Each zone, the one with the most free units first',
    },
    {
      command: 'kubectl berth capacity --scheduler-config scheduler.yaml --plugin-dir my-plugins',
      description: 'What a scheduler with this profile and these plugins can still place',
    },
    { command: 'kubectl berth capacity example.com/dongle --devices', description: 'Which pod holds which dongle' },
    { command: 'kubectl berth capacity --pods -n shop -w', description: 'What the pods of a namespace hold, live' },
    { command: 'kubectl berth capacity example.com/dongle -o csv', description: 'One resource, for a spreadsheet' },
  ],
  notes: [
    'Amounts are in cores, bytes or units, which every format says. JSON, YAML and CSV have plain numbers; tables shorten them as Kubernetes does (500m, 2Gi). Percentages are shares of allocatable.',
    'Unhealthy units are those that a kubelet counts as capacity but not as allocatable.',
  ],
  async run(line, context) {
    const { runCapacity } = await import('./run-capacity.ts')
    await runCapacity(line, context)
  },
}
