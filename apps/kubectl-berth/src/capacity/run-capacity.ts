import type { CommandLine } from '@berth/process/command'
import { snapshotCluster } from '@berth/cluster-view'
import type { CommandContext } from '../cli/command.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import { structuredText } from '../output/structured-text.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { capacityRows } from './capacity-rows.ts'
import { capacityText } from './capacity-text.ts'
import { decidedRoom } from './decided-room.ts'

/** Runs `kubectl berth capacity`. */
export async function runCapacity(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal, connect, stop } = context
  const profiles = await loadProfiles(line, context)
  printNotes(profiles, [profiles.first], terminal)
  await using session = await connect()
  const snapshot = await withProgress(terminal, 'Reading nodes and pods', () =>
    snapshotCluster(session.cluster.client, {
      signal: stop,
      configMaps: profiles.configMaps,
      ...(!profiles.isChosen && { kinds: [] }),
    }),
  )
  const rows = capacityRows(snapshot, { withNative: line.has('all'), resourceName: line.words[0] })
  const { framework } = profiles.first
  const { clock, random } = terminal
  const resources = profiles.isChosen
    ? rows.map((row) => decidedRoom(row, { framework, state: snapshot.state, clock, random }))
    : rows
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
