import type { Command } from '../cli/command.ts'
import { subjectKinds } from '../explain/subjects/subject-kinds.ts'
import { outputFlag } from '../output/output-format.ts'
import { profileFlags } from '../profile/profile-flags.ts'

/** `kubectl berth whatif`. */
export const whatifCommand: Command = {
  name: 'whatif',
  summary:
    'Shows where pending and displaced pods would go after a change of nodes or requests. Decides on a copy; the cluster stays as it is.',
  usage: [
    'CHANGES',
    'pod NAME... --requests RESOURCE=AMOUNT [-n NAMESPACE] [CHANGES]',
    'KIND/NAME... --requests RESOURCE=AMOUNT [-n NAMESPACE] [CHANGES]',
  ],
  arguments: [
    {
      name: 'SUBJECT',
      isRepeatable: true,
      description:
        'A kind and names, or KIND/NAME: pod, deployment, statefulset, daemonset, replicaset or job. The pods of a workload are all recreated at once.',
    },
  ],
  usesCluster: true,
  completes: [{ kinds: subjectKinds }],
  flags: [
    {
      name: 'add-node',
      placeholder: 'NODE[=COUNT]',
      isRepeatable: true,
      description: 'Add empty copies of this node. Default: one.',
    },
    { name: 'remove-node', placeholder: 'NODE', isRepeatable: true, description: 'Remove this node.' },
    {
      name: 'drain',
      placeholder: 'NODE',
      isRepeatable: true,
      description:
        'Cordon this node and evict its pods, except those of DaemonSets and mirror pods, as far as PodDisruptionBudgets allow.',
    },
    {
      name: 'requests',
      placeholder: 'RESOURCE=AMOUNT',
      isRepeatable: true,
      description: 'Recreate the pods with this request.',
    },
    {
      name: 'snapshot',
      placeholder: 'FILE',
      description:
        'Read the cluster from this list instead, such as of simulate --record or kubectl get nodes,pods,pdb,rs -A -o json. Use - for standard input.',
    },
    {
      name: 'namespace',
      short: 'n',
      placeholder: 'NAME',
      description: 'Namespace of the pods. Default: the namespace of the context.',
    },
    outputFlag,
    ...profileFlags,
  ],
  examples: [
    { command: 'kubectl berth whatif --drain node-1', description: 'Do the pods of this node fit elsewhere?' },
    {
      command: 'kubectl berth whatif --add-node node-1=2',
      description: 'Which pending pods would two more nodes place?',
    },
    {
      command: 'kubectl berth whatif pod web-0 --requests example.com/dongle=1',
      description: 'Would the pod fit if it requested less?',
    },
    {
      command: 'kubectl berth whatif deploy/web --requests example.com/dongle=2 -n shop',
      description: 'Would all pods of this Deployment fit if each requested more?',
    },
    {
      command: 'kubectl berth whatif --drain node-1 --snapshot cluster.json',
      description: 'The same for a recorded cluster, without a connection',
    },
  ],
  async run(line, context) {
    const { runWhatif } = await import('./run-whatif.ts')
    await runWhatif(line, context)
  },
}
