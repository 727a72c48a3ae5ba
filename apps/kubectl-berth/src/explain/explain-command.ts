import type { Command } from '../cli/command.ts'

/** `kubectl berth explain`. */
export const explainCommand: Command = {
  name: 'explain',
  summary: 'Says why a pod does not fit, node by node with numbers, and what would help.',
  usage: ['pod NAME [-n NAMESPACE]', '-f FILE'],
  arguments: [
    { name: 'pod', description: 'The kind; pods are the only one.' },
    { name: 'NAME', description: 'Name of the pod.' },
  ],
  usesCluster: true,
  flags: [
    { name: 'namespace', short: 'n', placeholder: 'NAME', description: "Namespace; default: the context's." },
    {
      name: 'filename',
      short: 'f',
      placeholder: 'FILE',
      description: 'Judge the pod, or the pod template, in this manifest; - is standard input.',
    },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['wide', 'json', 'yaml'],
      description: 'Format of the answer; wide: every node, holder and fix.',
    },
  ],
  examples: [
    { command: 'kubectl berth explain pod extended-resource-demo-2', description: 'Why is this pod Pending?' },
    { command: 'kubectl berth explain -f pod.yaml', description: 'Would this pod fit? Nothing is created' },
    { command: 'kubectl berth explain pod web-0 -n shop -o json', description: 'The same for programs' },
  ],
  async run(line, context) {
    const { runExplain } = await import('./run-explain.ts')
    await runExplain(line, context)
  },
}
