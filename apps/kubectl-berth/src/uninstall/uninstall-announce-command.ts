import type { Command } from '../cli/command.ts'

/** `kubectl berth uninstall-announce`, which the chart runs before it deletes the device plugin. */
export const uninstallAnnounceCommand: Command = {
  name: 'uninstall-announce',
  summary: 'Announces an uninstall to the device plugin, and waits until its nodes show 0. The chart runs it.',
  arguments: [
    { name: 'NAMESPACE', description: 'Namespace of the device plugin.', isRequired: true },
    { name: 'SELECTOR', description: 'Labels of its pods.', isRequired: true },
    { name: 'RESOURCE', description: 'Extended resources that it serves.', isRequired: true, isRepeatable: true },
  ],
  usesCluster: true,
  flags: [
    {
      name: 'timeout',
      placeholder: 'SECONDS',
      range: { min: 1, max: 3600 },
      description: 'Maximum time to wait. Default: 30.',
    },
  ],
  examples: [
    {
      command:
        'kubectl berth uninstall-announce berth-system app.kubernetes.io/component=device-plugin example.com/dongle',
      description: 'Let the device plugin withdraw its dongles',
    },
  ],
  async run(line, context) {
    const { runUninstallAnnounce } = await import('./run-uninstall-announce.ts')
    await runUninstallAnnounce(line, context)
  },
}
