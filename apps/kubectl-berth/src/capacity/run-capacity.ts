import type { CommandLine } from '@berth/process/command'
import { snapshotCluster } from '@berth/cluster-view'
import type { CommandContext } from '../cli/command.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import { structuredText } from '../output/structured-text.ts'
import { capacityRows } from './capacity-rows.ts'
import { capacityText } from './capacity-text.ts'

/** Runs `kubectl berth capacity`. */
export async function runCapacity(line: CommandLine, { terminal, connect, stop }: CommandContext): Promise<void> {
  await using session = await connect()
  const snapshot = await withProgress(terminal, 'Reading nodes and pods', () =>
    snapshotCluster(session.cluster.client, { signal: stop, kinds: [] }),
  )
  const resources = capacityRows(snapshot, { withNative: line.has('all'), resourceName: line.words[0] })
  const format = line.text('output')
  if (format === 'json' || format === 'yaml') {
    terminal.out(structuredText({ resources }, format))
    return
  }
  if (resources.length === 0) {
    const what = line.words[0] ?? 'any extended resource'
    terminal.note(`None of the ${snapshot.nodes.size} nodes offers ${what}. To see all: kubectl berth capacity --all\n`)
    return
  }
  terminal.out(capacityText(resources, paintFor(terminal)))
}
