import type { Command } from '../cli/command.ts'
import { failOnEarlyExit } from './fail-on-early-exit.ts'

/** `kubectl berth plugin test`. */
export const pluginTestCommand: Command = {
  name: 'plugin test',
  summary: 'Runs the checks of the test kit against the plugins in a file, without a cluster.',
  arguments: [{ name: 'FILE', description: 'A plugin file, a package, or a .tgz archive.', isRequired: true }],
  usesCluster: false,
  completes: ['files', 'nothing'],
  flags: [
    { name: 'args', placeholder: 'JSON', description: 'Arguments of the plugin. Default: none.' },
    {
      name: 'filename',
      short: 'f',
      placeholder: 'CLUSTER',
      description:
        'Nodes and pods to check it with, as YAML or JSON; - reads standard input. Default: a few small nodes.',
    },
    { name: 'output', short: 'o', placeholder: 'FORMAT', choices: ['json', 'yaml'], description: 'Output format.' },
  ],
  examples: [
    { command: 'kubectl berth plugin test plugins/quiet-hours.ts', description: 'Check a plugin file' },
    {
      command: `kubectl berth plugin test seats.ts --args '{"file":"/etc/seats"}'`,
      description: 'Check a plugin that needs arguments',
    },
    {
      command: 'kubectl get nodes,pods -A -o yaml | kubectl berth plugin test rack.ts -f -',
      description: 'Check it with the nodes and pods of a cluster',
    },
  ],
  notes: [
    'The plugin runs with your rights. A device source or resource source reads what it would read in the cluster.',
    'Exit status: 0 every check passes, 1 a check fails or the file does not load, 2 wrong command line.',
  ],
  async run(line, context) {
    const { runPluginTest } = await import('./run-plugin-test.ts')
    await failOnEarlyExit(context.terminal, () => runPluginTest(line, context))
  },
}
