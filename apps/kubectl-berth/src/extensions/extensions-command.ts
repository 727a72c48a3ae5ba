import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'

/** The kinds that can be asked for, in the order of the output. */
export const extensionKinds = [
  'schedulers',
  'extenders',
  'extended-resources',
  'device-plugins',
  'dra-drivers',
  'csi-drivers',
  'networks',
  'runtimes',
  'virtual-nodes',
  'cloud-providers',
  'kms',
  'webhooks',
  'aggregated-apis',
  'custom-resources',
  'kubectl-plugins',
] as const

/**
 * `kubectl berth extensions`.
 *
 * @param environment - Where the kubectl plugins of this machine are looked for.
 */
export function extensionsCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return {
    name: 'extensions',
    summary:
      'Shows what extends the cluster and kubectl: whether it is used, whether it works, by whom, and the evidence.',
    arguments: [
      {
        name: 'KIND',
        isRepeatable: true,
        choices: extensionKinds,
        description: `Show only these kinds: ${extensionKinds.join(', ')}. Default: all.`,
      },
    ],
    usesCluster: true,
    flags: [outputFlag],
    examples: [
      { command: 'kubectl berth extensions', description: 'Everything that extends the cluster' },
      {
        command: 'kubectl berth extensions schedulers extended-resources',
        description: 'Who schedules, and who writes which resource',
      },
      { command: 'kubectl berth extensions webhooks -o json', description: 'One kind, for programs' },
    ],
    notes: [
      '-o wide names every user.',
      'USED is "unknown" where nothing was found but not everything could be read, or where nothing records the use. HEALTH is "unknown" where nothing that can be read says whether it works.',
      'It only reads. What it may not read is named as incomplete, with the right to grant.',
    ],
    async run(line, context) {
      const { runExtensions } = await import('./run-extensions.ts')
      await runExtensions(line, context, environment)
    },
  }
}
