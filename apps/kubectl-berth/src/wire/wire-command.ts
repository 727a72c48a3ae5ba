import type { Command } from '../cli/command.ts'

/** `kubectl berth wire`. */
export const wireCommand: Command = {
  name: 'wire',
  summary:
    'Prints the configuration that makes a kube-scheduler call the extender, checks an existing one, or renews its certificates.',
  usage: [
    '[--format FORMAT] [--resource NAME]... [--ignored NAME]... [--bind]',
    '--check FILE',
    '--renew NAMESPACE/SECRET [--tls-dir DIR]',
  ],
  usesCluster: true,
  flags: [
    {
      name: 'format',
      placeholder: 'FORMAT',
      choices: ['stanza', 'kubeadm', 'kind'],
      description:
        'What to print: a KubeSchedulerConfiguration, the files for kubeadm, or a kind cluster. Default: stanza.',
    },
    { name: 'url', placeholder: 'URL', description: 'URL of the extender. Default: https://127.0.0.1:8888.' },
    {
      name: 'tls-dir',
      placeholder: 'DIR',
      description: 'Directory of ca.crt, tls.crt and tls.key on the control plane. Default: /etc/kubernetes/berth.',
    },
    { name: 'server-name', placeholder: 'NAME', description: 'Name in the certificate, if it differs from the URL.' },
    {
      name: 'resource',
      placeholder: 'NAME',
      isRepeatable: true,
      description: 'Extended resource for whose pods kube-scheduler calls the extender. Default: all pods.',
    },
    {
      name: 'ignored',
      placeholder: 'NAME',
      isRepeatable: true,
      description: 'Like --resource, but only the extender counts the resource. Requires --bind.',
    },
    { name: 'bind', description: 'Let the extender bind the pods. It needs `bind: true` in its configuration.' },
    {
      name: 'check',
      placeholder: 'FILE',
      description: 'Check the extenders of this KubeSchedulerConfiguration. The exit code is 1 if one has an error.',
    },
    {
      name: 'renew',
      placeholder: 'NAMESPACE/SECRET',
      description:
        'Copy the client certificate in this Secret into --tls-dir on this host, if it has changed. Only this reads the cluster.',
    },
  ],
  examples: [
    {
      command: 'kubectl berth wire --resource example.com/dongle',
      description: 'The extenders entry for a kube-scheduler that you run',
    },
    {
      command: 'kubectl berth wire --format kubeadm --bind --ignored example.com/seat',
      description: 'The files for a kubeadm control plane and a resource that only the extender counts',
    },
    {
      command: 'kubectl berth wire --renew berth-system/berth-authority-client',
      description: 'Renew the files in /etc/kubernetes/berth',
    },
    { command: 'kubectl berth wire --check scheduler.yaml', description: 'What is wrong with an existing file' },
  ],
  notes: [
    'A managed control plane does not let you change the configuration of its kube-scheduler. Run a second kube-scheduler with the extender (the chart does this by default), or the scheduler of Berth.',
  ],
  async run(line, context) {
    const { runWire } = await import('./run-wire.ts')
    await runWire(line, context)
  },
}
