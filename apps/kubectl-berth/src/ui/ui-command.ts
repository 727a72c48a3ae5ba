import type { Command } from '../cli/command.ts'
import { UsageError } from '../errors.ts'
import { profileFlags } from '../profile/profile-flags.ts'
import type { Browser } from './open-browser.ts'

/** `kubectl berth ui`. */
export function uiCommand(browser: Browser): Command {
  return {
    name: 'ui',
    summary:
      'Serves one page on this machine until Ctrl-C: a heat map of nodes and resources, how much of each resource is requested, free and scattered, and what pending pods wait for. It only reads the cluster.',
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
    ],
    notes: [
      'The address holds a token; requests without it are refused, as are those of other sites. Whoever has the address can read what you can list.',
      'The cluster is read while a page is open: every 2 seconds, and less often when reading takes long.',
    ],
    async run(line, context) {
      if (line.has('open') && line.has('no-open'))
        throw new UsageError('ui: --open and --no-open exclude each other', 'Run: kubectl berth ui --help')
      const { runUi } = await import('./run-ui.ts')
      const opens = line.has('open') || (browser.hasScreen && !line.has('no-open'))
      await runUi(line, context, opens ? browser : undefined)
    },
  }
}
