import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'

/** `kubectl berth brief`. */
export const briefCommand: Command = {
  name: 'brief',
  summary: 'Shows each workload with its pods, services and related objects, and why pods are pending.',
  usage: [
    '[-n NAMESPACE | -A] [-l SELECTOR] [--kind KIND ...] [--control]',
    'KIND/NAME... [-n NAMESPACE]',
    'KIND [NAME...] [-n NAMESPACE | -A] [-l SELECTOR]',
  ],
  arguments: [
    {
      name: 'OBJECT',
      isRepeatable: true,
      description: 'Show only these objects, of any kind: KIND/NAME, or a kind and names. Default: all workloads.',
    },
  ],
  usesCluster: true,
  completes: [
    { kinds: ['deployment', 'statefulset', 'daemonset', 'cronjob', 'job', 'replicaset', 'pod', 'service', 'node'] },
  ],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      placeholder: 'NAME',
      description: 'Namespace. Default: the namespace of the context.',
    },
    { name: 'all-namespaces', short: 'A', description: 'All namespaces.' },
    { name: 'selector', short: 'l', placeholder: 'SELECTOR', description: 'Only workloads with these labels.' },
    {
      name: 'kind',
      placeholder: 'KIND',
      isRepeatable: true,
      description: 'Also show this kind of workload, for example clonesets.',
    },
    {
      name: 'related',
      placeholder: 'KIND',
      isRepeatable: true,
      description: 'Also show objects of this kind under the workload that owns them or has their name.',
    },
    {
      name: 'control',
      description:
        'Also show the control panel: the API server, leaders, controllers, DNS settings and registry secrets.',
    },
    {
      name: 'control-match',
      placeholder: 'TEXT',
      isRepeatable: true,
      description:
        'Show deployments and pods in the control panel whose namespace or name contains this text. Default: those whose labels, Leases or rights say that they belong to the control plane.',
    },
    { name: 'watch', short: 'w', description: 'Show it again whenever it changes, until Ctrl-C.' },
    {
      ...outputFlag,
      description:
        'Output format. wide adds columns and shows whole notes. csv leaves out the control panel. Default: table.',
    },
  ],
  examples: [
    { command: 'kubectl berth brief', description: 'The workloads of this namespace' },
    { command: 'kubectl berth brief deploy/web', description: 'One Deployment with everything below it' },
    { command: 'kubectl berth brief -A --control', description: 'All namespaces, with the control panel' },
    {
      command: 'kubectl berth brief --kind clonesets --related upgradestrategies',
      description: 'Custom workloads with their related objects',
    },
  ],
  async run(line, context) {
    const { runBrief } = await import('./run-brief.ts')
    await runBrief(line, context)
  },
}
