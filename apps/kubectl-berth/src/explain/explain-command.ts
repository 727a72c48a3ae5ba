import type { Command } from '../cli/command.ts'
import { profileFlags } from '../profile/profile-flags.ts'

/** `kubectl berth explain`. */
export const explainCommand: Command = {
  name: 'explain',
  summary: 'Explains why a pod does not fit: the numbers of each node, and the changes that would make it fit.',
  usage: ['pod NAME [-n NAMESPACE]', '-f FILE'],
  arguments: [
    { name: 'pod', description: 'The kind. Only pods can be explained.' },
    { name: 'NAME', description: 'Name of the pod.' },
  ],
  usesCluster: true,
  flags: [
    {
      name: 'namespace',
      short: 'n',
      placeholder: 'NAME',
      description: 'Namespace. Default: the namespace of the context.',
    },
    {
      name: 'filename',
      short: 'f',
      placeholder: 'FILE',
      description: 'Evaluate the pod or pod template in this manifest. Use - for standard input.',
    },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['wide', 'json', 'yaml'],
      description: 'Output format. wide shows every node, holder and fix.',
    },
    ...profileFlags,
  ],
  examples: [
    { command: 'kubectl berth explain pod extended-resource-demo-2', description: 'Why is this pod Pending?' },
    { command: 'kubectl berth explain -f pod.yaml', description: 'Would this pod fit? Nothing is created' },
    {
      command: 'kubectl berth explain pod web-0 --scheduler-config scheduler.yaml',
      description: 'Decide with the profiles of this scheduler; --plugin-dir loads its plugins',
    },
    { command: 'kubectl berth explain pod web-0 -n shop -o json', description: 'The same for programs' },
  ],
  async run(line, context) {
    const { runExplain } = await import('./run-explain.ts')
    await runExplain(line, context)
  },
}
