import type { Command } from '../cli/command.ts'
import { outputFlag } from '../output/output-format.ts'

/** `kubectl berth replay`. */
export const replayCommand: Command = {
  name: 'replay',
  summary: "Shows which of the extender's recorded verdicts another configuration would change.",
  usage: ['FILE [--config CONFIG] [--plugin-dir DIR]'],
  arguments: [
    {
      name: 'FILE',
      description: 'Recording that the extender wrote with --record. Use - for standard input.',
      isRequired: true,
    },
  ],
  usesCluster: false,
  completes: ['files', 'nothing'],
  flags: [
    {
      name: 'config',
      placeholder: 'CONFIG',
      description:
        'Configuration of the extender: its keys plugins and ignoredResources count. Default: those of the recording, which shows what a replay cannot reproduce.',
    },
    { name: 'plugin-dir', placeholder: 'DIR', description: 'Directory with scheduling plugins, as for the extender.' },
    outputFlag,
  ],
  examples: [
    {
      command: 'kubectl berth replay verdicts.jsonl --config new.yaml',
      description: 'Which pods would pass on other nodes, rank nodes differently or evict other pods with new.yaml?',
    },
    { command: 'kubectl berth replay verdicts.jsonl -o json', description: 'Does the replay reproduce the recording?' },
  ],
  notes: [
    'Exit status 0: no verdict changes. 1: some change. 2: the command line or the configuration is wrong.',
    'A recording holds no volumes, devices and annotations, so plugins that read these decide as if there were none.',
    'The processPreemption hooks of plugins do not run: the victims before them are compared.',
  ],
  async run(line, context) {
    const { runReplay } = await import('./run-replay.ts')
    await runReplay(line, context)
  },
}
