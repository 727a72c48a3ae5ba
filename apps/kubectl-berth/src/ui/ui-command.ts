import type { Command } from '../cli/command.ts'
import { UsageError } from '../errors.ts'
import { profileFlags } from '../profile/profile-flags.ts'
import type { Browser } from './open-browser.ts'
import { DEFAULT_RECORD_LIMIT_MIB } from './recording/record-limit.ts'

/** `kubectl berth ui`. */
export function uiCommand(browser: Browser): Command {
  return {
    name: 'ui',
    summary:
      'Serves one page on this machine until Ctrl-C: a heat map of nodes and resources, how much of each resource is requested, free and scattered, what pending pods wait for, and how all of that changes over time. It only reads the cluster.',
    usesCluster: true,
    flags: [
      {
        name: 'port',
        placeholder: 'N',
        range: { min: 0, max: 65_535 },
        description: 'Port on 127.0.0.1. Default: any free port.',
      },
      { name: 'open', description: 'Open the page in the browser. Default where there is a screen.' },
      { name: 'no-open', description: 'Only print the address of the page.' },
      {
        name: 'record',
        placeholder: 'FILE',
        description:
          'Write the nodes and pods and each of their changes into this new file, for --recording: an audit log (audit.k8s.io/v1) without annotations, environments and commands. It grows until Ctrl-C, or to --record-limit.',
      },
      {
        name: 'record-limit',
        placeholder: 'MIB',
        range: { min: 1, max: 1_048_576 },
        description: `End the recording before its file is larger than this, in MiB. The page goes on. Default: ${DEFAULT_RECORD_LIMIT_MIB}.`,
      },
      {
        name: 'recording',
        placeholder: 'FILE',
        description:
          'Show this recording instead of a cluster: one of --record, or an audit log of level RequestResponse. Use - for standard input.',
      },
      {
        name: 'namespace',
        short: 'n',
        placeholder: 'NAME',
        description: 'Where this user may not list the pods of all namespaces, count those of this one.',
      },
      ...profileFlags,
    ],
    examples: [
      { command: 'kubectl berth ui', description: 'Open the page' },
      { command: 'kubectl berth ui --no-open --port 8001', description: 'Through an SSH tunnel to port 8001' },
      { command: 'kubectl berth ui --record cluster.log', description: 'Open the page, and record what it can show' },
      { command: 'kubectl berth ui --recording cluster.log', description: 'Look at the recording, without a cluster' },
    ],
    notes: [
      'The address holds a token; requests without it are refused, as are those of other sites. Everyone with the address can read what you can list.',
      'Nodes and pods are watched while a page is open and a minute longer; the timeline begins when they are. With --record they are watched from the start.',
    ],
    async run(line, context) {
      if (line.has('open') && line.has('no-open'))
        throw new UsageError('ui: --open and --no-open exclude each other', 'Run: kubectl berth ui --help')
      if (line.has('record') && line.has('recording'))
        throw new UsageError('ui: --record and --recording exclude each other', 'Run: kubectl berth ui --help')
      if (line.has('record-limit') && !line.has('record'))
        throw new UsageError('ui: --record-limit needs --record', 'Run: kubectl berth ui --help')
      const { runUi } = await import('./run-ui.ts')
      const opens = line.has('open') || (browser.hasScreen && !line.has('no-open'))
      await runUi(line, context, opens ? browser : undefined)
    },
  }
}
