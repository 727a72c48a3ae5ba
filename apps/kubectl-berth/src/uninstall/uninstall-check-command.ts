import type { Command } from '../cli/command.ts'

/**
 * Creates `kubectl berth uninstall-check`, which the chart runs before an uninstall.
 *
 * @param env.BERTH_ADVERTISER_FORCE - `true` skips the check. The chart sets it from the ConfigMap of the uninstall.
 */
export function uninstallCheckCommand({
  BERTH_ADVERTISER_FORCE: force,
}: Readonly<Record<string, string | undefined>>): Command {
  return {
    name: 'uninstall-check',
    summary: 'Fails while running pods use the resources. The chart runs it before an uninstall.',
    arguments: [
      { name: 'RESOURCE', description: 'Extended resources to check.', isRequired: true, isRepeatable: true },
    ],
    usesCluster: true,
    flags: [],
    examples: [
      { command: 'kubectl berth uninstall-check example.com/dongle', description: 'Check whether a dongle is in use' },
    ],
    async run(line, context) {
      if (force === 'true') return
      const { runUninstallCheck } = await import('./run-uninstall-check.ts')
      await runUninstallCheck(line, context)
    },
  }
}
