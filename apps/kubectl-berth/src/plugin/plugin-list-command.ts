import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'
import { failOnEarlyExit } from './fail-on-early-exit.ts'

/** `kubectl berth plugin list`. */
export const pluginListCommand: Command = {
  name: 'plugin list',
  summary: 'Lists the plugins that a program would load: name, kind, hooks, arguments and problems.',
  usesCluster: false,
  flags: [
    {
      name: 'plugin-dir',
      placeholder: 'DIR',
      description:
        'Directory with plugins, as for the programs. Default: the scheduling plugins in the image. Plugins run with your rights.',
    },
    outputFlag,
  ],
  examples: [
    {
      command: 'kubectl berth plugin list --plugin-dir my-plugins',
      description: 'The plugins in the directory my-plugins',
    },
    { command: 'kubectl berth plugin list -o json', description: 'The scheduling plugins in the image, for programs' },
  ],
  notes: [
    'Exit status: 0 every plugin loads, 1 a program would refuse to start with this directory, 2 wrong command line.',
  ],
  async run(line, context) {
    const { runPluginList } = await import('./run-plugin-list.ts')
    await failOnEarlyExit(context.terminal, () => runPluginList(line, context))
  },
}
