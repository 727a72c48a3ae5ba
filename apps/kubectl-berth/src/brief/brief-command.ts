import type { Command } from '../cli/command.ts'
import { controlNames } from './control-names.ts'

/** `kubectl berth brief`. */
export const briefCommand: Command = {
  name: 'brief',
  summary: 'Shows each workload with its pods, services and related objects, and what waits for what.',
  usage: ['[-n NAMESPACE | -A] [-l SELECTOR] [--kind KIND ...] [--control]'],
  usesCluster: true,
  flags: [
    { name: 'namespace', short: 'n', placeholder: 'NAME', description: "Namespace; default: the context's." },
    { name: 'all-namespaces', short: 'A', description: 'All namespaces.' },
    { name: 'selector', short: 'l', placeholder: 'SELECTOR', description: 'Only workloads with these labels.' },
    {
      name: 'kind',
      placeholder: 'KIND',
      isRepeatable: true,
      description: 'Show this kind of workload too, for example clonesets.',
    },
    {
      name: 'related',
      placeholder: 'KIND',
      isRepeatable: true,
      description: "Show objects of this kind that have a workload's name or owner.",
    },
    { name: 'control', description: 'Show the control panel too: controllers, schedulers, DNS, registry secrets.' },
    {
      name: 'control-match',
      placeholder: 'TEXT',
      isRepeatable: true,
      description: `What belongs to it; default: ${controlNames.join(', ')}.`,
    },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['wide', 'json', 'yaml'],
      description: 'Format of the answer.',
    },
  ],
  examples: [
    { command: 'kubectl berth brief', description: 'What runs in this namespace' },
    { command: 'kubectl berth brief -A --control', description: 'Everything, and what runs it' },
    {
      command: 'kubectl berth brief --kind clonesets --related upgradestrategies',
      description: 'Custom workloads with their companions',
    },
  ],
  async run(line, context) {
    const { runBrief } = await import('./run-brief.ts')
    await runBrief(line, context)
  },
}
