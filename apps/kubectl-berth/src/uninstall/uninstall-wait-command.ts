import type { Command } from '../cli/command.ts'

/** `kubectl berth uninstall-wait`, which the chart runs because Helm does not wait for a DaemonSet. */
export const uninstallWaitCommand: Command = {
  name: 'uninstall-wait',
  summary: 'Waits until a DaemonSet is ready on every node that responds. The chart runs it after an uninstall.',
  arguments: [
    { name: 'NAMESPACE', description: 'Namespace of the DaemonSet.', isRequired: true },
    { name: 'DAEMONSET', description: 'Name of the DaemonSet.', isRequired: true },
  ],
  usesCluster: true,
  flags: [
    {
      name: 'timeout',
      placeholder: 'SECONDS',
      range: { min: 1, max: 3600 },
      description: 'Maximum time to wait. Default: 200.',
    },
  ],
  examples: [
    {
      command: 'kubectl berth uninstall-wait berth-system berth-uninstall-sockets',
      description: 'Wait until the socket directories are removed',
    },
  ],
  async run(line, context) {
    const { runUninstallWait } = await import('./run-uninstall-wait.ts')
    await runUninstallWait(line, context)
  },
}
