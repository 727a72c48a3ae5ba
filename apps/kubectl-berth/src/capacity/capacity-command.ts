import { snapshotCluster } from '@berth/cluster-view'
import type { Command } from '../command.ts'
import { paintFor } from '../paint.ts'
import { withProgress } from '../progress.ts'
import { structuredText } from '../structured-text.ts'
import { capacityRows } from './capacity-rows.ts'
import { capacityText } from './capacity-text.ts'

/** `kubectl berth capacity`. */
export const capacityCommand: Command = {
  name: 'capacity',
  summary: 'Shows what nodes offer of each extended resource, how much is asked for, and what is left.',
  usage: 'capacity [RESOURCE] [--all]',
  maxWords: 1,
  usesCluster: true,
  flags: [
    { name: 'all', description: 'Also cpu, memory and what else is no extended resource.' },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['json', 'yaml'],
      description: 'Format of the answer.',
    },
  ],
  examples: [
    { command: 'kubectl berth capacity', description: 'Every extended resource' },
    { command: 'kubectl berth capacity example.com/dongle -o json', description: 'One of them, for programs' },
  ],
  async run(given, { terminal, connect, stop }) {
    await using session = await connect()
    const snapshot = await withProgress(terminal, 'Reading nodes and pods', () =>
      snapshotCluster(session.cluster.client, { signal: stop, kinds: [] }),
    )
    const resources = capacityRows(snapshot, { withNative: given.has('all'), resourceName: given.words[0] })
    const format = given.text('output')
    if (format === 'json' || format === 'yaml') {
      terminal.out(structuredText({ resources }, format))
      return
    }
    if (resources.length === 0) {
      const what = given.words[0] ?? 'any extended resource'
      terminal.note(
        `None of the ${snapshot.nodes.size} nodes offers ${what}. To see all: kubectl berth capacity --all\n`,
      )
      return
    }
    terminal.out(capacityText(resources, paintFor(terminal)))
  },
}
