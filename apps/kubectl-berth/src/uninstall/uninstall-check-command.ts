import type { Command } from '../cli/command.ts'

/** Environment variable that the chart sets from the ConfigMap of the uninstall. */
const FORCE_VARIABLE = 'BERTH_ADVERTISER_FORCE'

/** Creates `kubectl berth uninstall-check`, which the chart runs before an uninstall. */
export function uninstallCheckCommand(env: Readonly<Record<string, string | undefined>>): Command {
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
      if (env[FORCE_VARIABLE] === 'true') return
      const { runUninstallCheck } = await import('./run-uninstall-check.ts')
      await runUninstallCheck(line, context)
    },
  }
}
