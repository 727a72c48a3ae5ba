import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'
import { profileFlags } from '../profile/profile-flags.ts'
import { subjectKinds } from './subjects/subject-kinds.ts'

/** `kubectl berth explain`. */
export const explainCommand: Command = {
  name: 'explain',
  summary: 'Explains why a pod does not fit: the numbers of each node, and the changes that would make it fit.',
  usage: ['pod NAME... [-n NAMESPACE]', 'KIND/NAME... [-n NAMESPACE]', '--all-pending [-n NAMESPACE | -A]', '-f FILE'],
  arguments: [
    {
      name: 'SUBJECT',
      isRepeatable: true,
      description:
        'A kind and names, or KIND/NAME: pod, deployment, statefulset, daemonset, replicaset or job. Of a workload, its pending pods are explained.',
    },
  ],
  usesCluster: true,
  completes: [{ kinds: subjectKinds }],
  flags: [
    {
      name: 'namespace',
      short: 'n',
      placeholder: 'NAME',
      description: 'Namespace. Default: the namespace of the context.',
    },
    { name: 'all-pending', description: 'Explain every pending pod, grouped by cause.' },
    { name: 'all-namespaces', short: 'A', description: 'With --all-pending: in all namespaces.' },
    {
      name: 'filename',
      short: 'f',
      placeholder: 'FILE',
      description: 'Evaluate the pods and pod templates in this manifest. Use - for standard input.',
    },
    { ...outputFlag, description: 'Output format. wide shows every node, holder and fix. Default: table.' },
    ...profileFlags,
  ],
  examples: [
    { command: 'kubectl berth explain pod extended-resource-demo-2', description: 'Why is this pod Pending?' },
    { command: 'kubectl berth explain deploy/web -n shop', description: 'Why do pods of this Deployment wait?' },
    { command: 'kubectl berth explain --all-pending -A', description: 'What do all pending pods wait for?' },
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
